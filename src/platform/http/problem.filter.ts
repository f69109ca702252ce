import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';
import { asUnavailable } from '../database/database.js';
import { Problem, type ProblemKind, problemKinds } from '../errors.js';
import { failureText } from '../failure-text.js';
import { log } from '../logging/log.js';

/**
 * The only conversion of a thrown error to a response: known kinds tell the user what to do, any other error shows only
 * its id.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    answerProblem(error, host.switchToHttp().getResponse<Response>());
  }
}

export function answerProblem(error: unknown, response: Response): void {
  const problem = asProblem(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader('Cache-Control', 'no-store');
  if (!problem) {
    log.error({ err: error }, 'request failed');
    const message = failureText();
    response.status(500).json({
      errors: [{ messages: [message] }],
      title: 'Internal Server Error',
      statusMessage: 'Internal Server Error',
      message,
    });
    return;
  }
  if (problem.options.cause) log[problemKinds[problem.kind].level]({ err: problem.options.cause }, problem.message);
  const { retryAfterSeconds } = problem.options;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  response.status(problem.status).json(problem.body());
}

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof HttpException) return byStatus(error.getStatus(), error.message);
  const status = (error as { status?: unknown; expose?: unknown } | null)?.status;
  // express.json and the router throw http-errors.
  if (typeof status === 'number' && status < 500)
    return byStatus(status, 'The request cannot be processed. Please try again.');
  return asUnavailable(error);
}

function byStatus(status: number, message: string): Problem | undefined {
  const kind = (Object.keys(problemKinds) as ProblemKind[]).find((name) => problemKinds[name].status === status);
  if (kind) return new Problem(kind, message);
  return status < 500 ? new Problem('invalid', message) : undefined;
}
