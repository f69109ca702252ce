import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { NextFunction, Request, Response } from 'express';
import type { ProblemItem } from '../../contract/problem.js';
import { Problem } from '../errors.js';
import { isNestedTooDeeply } from '../nesting.js';
import { answerProblem } from './problem.filter.js';

/** No form has more; each of them costs time, and is answered with what is wrong with it. */
const mostMembers = 200;
const mostItems = 2_000;

/** Before anything goes through a body, member by member and calling itself level by level. */
export function refuseUnwieldyBodies({ body }: Request, response: Response, next: NextFunction): void {
  if (isNestedTooDeeply(body) || hasTooManyParts(body)) {
    answerProblem(new Problem('invalid', 'The body is nested too deeply or has too many parts.'), response);
  } else {
    next();
  }
}

function hasTooManyParts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const parts = Object.values(value);
  return parts.length > (Array.isArray(value) ? mostItems : mostMembers) || parts.some(hasTooManyParts);
}

/** Bodies and queries are exactly what their contract class says: unknown members are refused, not dropped. */
export class ContractValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      transform: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => Problem.invalid(errors.flatMap((error) => items(error, ''))),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && metadata.metatype === Array) return listOfTexts(value);
    if (metadata.type === 'body' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new Problem('invalid', 'The request needs a JSON object as its body.');
    }
    return super.transform(value, metadata);
  }
}

/** The only lists that are bodies by themselves: of texts. */
function listOfTexts(value: unknown): string[] {
  if (Array.isArray(value) && value.length <= 500 && value.every((item) => typeof item === 'string')) return value;
  throw new Problem('invalid', 'The request needs a JSON array of texts as its body.');
}

function items(error: ValidationError, parent: string): ProblemItem[] {
  const field = parent ? `${parent}.${error.property}` : error.property;
  const own = Object.values(error.constraints ?? {});
  return [
    ...(own.length > 0 ? [{ field, messages: own }] : []),
    ...(error.children ?? []).flatMap((child) => items(child, field)),
  ];
}
