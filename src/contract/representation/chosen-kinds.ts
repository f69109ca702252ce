import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';

/** Room for the id of a level with kinds that stand behind it. */
export const mostOfLevel = 5_000;

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
