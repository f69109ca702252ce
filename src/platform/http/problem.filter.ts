import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { inEnglish } from '../../contract/messages/in-english.js';
import { type Message, message } from '../../contract/messages/message.js';
import { asUnavailable } from '../database/database.js';
import { Problem, type ProblemKind, problemBody, problemKinds } from '../errors.js';
import { failureMessage } from '../failure-text.js';
import { log } from '../logging/log.js';
import { nameOutcome } from '../metrics/measured.js';

/**
 * The only conversion of a thrown error to a response: known kinds tell the user what to do, any other error shows only
 * its id.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const methods = error instanceof NotFoundException ? methodsOf(http.getRequest<Request>()) : [];
    if (methods.length === 0) answerProblem(error, response);
    else refuseMethod(methods.join(', '), response);
  }
}

function refuseMethod(methods: string, response: Response): void {
  response.setHeader('Allow', methods);
  answerProblem(new Problem('method-not-allowed', message('method-unknown', { methods })), response);
}

/** Express's record of a route; its types do not have `match`. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods of the API's routes at an address that has none for the method of the request (RFC 9110 §15.5.6). */
function methodsOf({ app, path }: Request): string[] {
  const layers = app.router.stack as unknown as Layer[];
  const found = layers.filter(({ route }) => route?.path.startsWith('/api/')).filter((layer) => layer.match(path));
  // `/client/impact` is an address of its own beside `/client/:id`.
  const own = found.filter(({ route }) => route?.path === path);
  const routes = own.length > 0 ? own : found;
  return [...new Set(routes.flatMap(({ route }) => Object.keys(route?.methods ?? {})))]
    .map((one) => one.toUpperCase())
    .sort();
}

export function answerProblem(error: unknown, response: Response): void {
  const problem = asProblem(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  nameOutcome(problem?.kind ?? 'failed');
  response.setHeader('Cache-Control', 'no-store');
  // The data behind new cookies were rolled back.
  if (!problem || problem.status >= 500) response.removeHeader('Set-Cookie');
  if (!problem) {
    log.error({ err: error }, 'request failed');
    const failure = failureMessage();
    const body = problemBody('Internal Server Error', inEnglish(failure), [{ messages: [failure] }]);
    response.status(500).json(body);
    return;
  }
  if (problem.options.cause) log[problemKinds[problem.kind].level]({ err: problem.options.cause }, problem.message);
  const { retryAfterSeconds } = problem.options;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  response.status(problem.status).json(problem.body());
}

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof HttpException) return byStatus(error.getStatus(), reasonOf(error));
  const status = (error as { status?: unknown; expose?: unknown } | null)?.status;
  // express.json and the router throw http-errors.
  if (typeof status === 'number' && status < 500) return byStatus(status, message('request-invalid'));
  return asUnavailable(error);
}

/** A controller gives a message of the catalogue; Nest itself gives a sentence for programmers. */
function reasonOf(error: HttpException): Message {
  const given = error.getResponse();
  return typeof given === 'object' && 'code' in given
    ? (given as Message)
    : message('technical', { reason: error.message });
}

function byStatus(status: number, reason: Message): Problem | undefined {
  const kind = (Object.keys(problemKinds) as ProblemKind[]).find((name) => problemKinds[name].status === status);
  if (kind) return new Problem(kind, reason);
  return status < 500 ? new Problem('invalid', reason) : undefined;
}
