import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { ProblemItem } from '../../contract/problem.js';
import { Problem } from '../errors.js';

/** Bodies and queries contain exactly the members of their contract class: unknown members are refused, not dropped. */
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

/** Lists of texts are the only bodies that are lists. */
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
