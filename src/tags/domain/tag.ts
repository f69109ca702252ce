import type { TagForm } from '../../contract/clients/tags.js';
import { tagProblems } from '../../contract/rules/tag.js';
import { Problem } from '../../platform/errors.js';

/** A coloured word that administrators sort clients by. Immutable: a change gives another one to store. */
export class Tag {
  readonly id: string;
  /** The value as it was typed; unique without regard to case. */
  readonly value: string;
  /** `#RGB` or `#RRGGBB`. */
  readonly color: string;

  private constructor(state: { id: string; value: string; color: string }) {
    Object.assign(this, state);
  }

  static create(form: TagForm, id: string): Tag {
    const problems = tagProblems(form);
    if (problems.length > 0) throw Problem.invalid(problems);
    return new Tag({ id, value: form.value.trim(), color: form.color.trim() });
  }

  change(form: TagForm): Tag {
    return Tag.create(form, this.id);
  }
}

export abstract class Tags {
  /** All tags, sorted by value. */
  abstract list(): Promise<Tag[]>;
  /** Keeps others from changing it until the transaction ends. */
  abstract findForChange(id: string): Promise<Tag | undefined>;
  /** Throws a conflict when another tag has the value. */
  abstract add(tag: Tag): Promise<void>;
  /** Throws a conflict when another tag has the value; false when the tag is gone. */
  abstract change(tag: Tag): Promise<boolean>;
  /** Also removes the tag from all clients; false when it is gone already. */
  abstract remove(id: string): Promise<boolean>;
}
