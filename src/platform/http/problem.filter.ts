import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Message, message } from '../../contract/messages/message.js';
import { asUnavailable } from '../database/database.js';
import { Problem, type ProblemKind, problemBody, problemKinds } from '../errors.js';
import { inEnglish } from '../language/translator.js';
import { log } from '../logging/log.js';
import { nameOutcome } from '../metrics/measured.js';
import { failureMessage } from '../request/failure-text.js';
import { methodRefusal } from './route-methods.js';

/**
 * The only conversion of a thrown error to a response: known kinds tell the user what to do, any other error shows only
 * its id.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const refusal = error instanceof NotFoundException && methodRefusal(http.getRequest<Request>(), response);
    answerProblem(refusal || error, response);
  }
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
  if (typeof given === 'object' && 'code' in given) return given as Message;
  return error instanceof NotFoundException
    ? message('address-unknown')
    : message('technical', { reason: error.message });
}

function byStatus(status: number, reason: Message): Problem | undefined {
  const kind = (Object.keys(problemKinds) as ProblemKind[]).find((name) => problemKinds[name].status === status);
  if (kind) return new Problem(kind, reason);
  return status < 500 ? new Problem('invalid', reason) : undefined;
}
