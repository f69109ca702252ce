import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { levelInOrder, mostOfLevel } from '../rules/representation/level-text.js';

/** Kinds that may be seen, one by one, as in `kinds` of a level. */
export function ChosenKinds(): PropertyDecorator {
  return (target, name) => {
    IsOptional()(target, name as string);
    IsArray()(target, name as string);
    ArrayMaxSize(200)(target, name as string);
    IsString({ each: true })(target, name as string);
    MaxLength(200, { each: true })(target, name as string);
  };
}

/** Id of a level, behind which single kinds may stand in any order. */
export function GivenLevel(): PropertyDecorator {
  return (target, name) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? levelInOrder(value) : value))(
      target,
      name,
    );
    IsString()(target, name as string);
    MaxLength(mostOfLevel)(target, name as string);
  };
}
