import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';
import { fieldProblems } from '../values/field-problems.js';

/** Bodies and queries contain exactly the members of their contract class: unknown members are refused, not dropped. */
export class ContractValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      transform: true,
      // The class of the object says which values its rules were given.
      validationError: { target: true },
      exceptionFactory: (errors) => Problem.invalid(fieldProblems(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && metadata.metatype === Array) return listOfTexts(value);
    if (metadata.type === 'body' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new Problem('invalid', message('body-not-object'));
    }
    const valid = await super.transform(value, metadata);
    return metadata.type === 'body' ? withoutNulls(valid) : valid;
  }
}

/** An optional member that is null is as if it was left out, unless its class says otherwise (`static keepsNull`). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    value.forEach(withoutNulls);
    return value;
  }
  const ownClass = (value as object | null | undefined)?.constructor as ContractClass | undefined;
  if (typeof value !== 'object' || !ownClass || ownClass.name === 'Object' || ownClass.keepsNull) return value;
  const members = value as Record<string, unknown>;
  const nulls = Object.keys(members).filter((name) => members[name] === null);
  if (nulls.length > 0) {
    const usual = new ownClass();
    for (const name of nulls) members[name] = usual[name];
  }
  Object.values(members).forEach(withoutNulls);
  return value;
}

interface ContractClass {
  new (): Record<string, unknown>;
  keepsNull?: boolean;
}

/** Lists of texts are the only bodies that are lists. */
function listOfTexts(value: unknown): string[] {
  if (Array.isArray(value) && value.length <= 500 && value.every((item) => typeof item === 'string')) return value;
  throw new Problem('invalid', message('body-not-texts'));
}
