import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';
import { fieldProblems } from '../field-problems.js';

/** Bodies and queries contain exactly the members of their contract class: unknown members are refused, not dropped. */
export class ContractValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      transform: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => Problem.invalid(fieldProblems(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && metadata.metatype === Array) return listOfTexts(value);
    if (metadata.type === 'body' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new Problem('invalid', message('body-not-object'));
    }
    return super.transform(value, metadata);
  }
}

/** Lists of texts are the only bodies that are lists. */
function listOfTexts(value: unknown): string[] {
  if (Array.isArray(value) && value.length <= 500 && value.every((item) => typeof item === 'string')) return value;
  throw new Problem('invalid', message('body-not-texts'));
}
