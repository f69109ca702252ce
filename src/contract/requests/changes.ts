import { IsInt, IsOptional, IsUUID, Max, Min } from 'class-validator';
import { RequiredText } from '../list-query.js';
import { LevelsForApproval } from '../representation/levels.js';

/** `POST /api/requests/change`: asks for another level of a relationship, or for more than the age rule leaves. */
export class AskChangeRequest {
  /** Id of a relationship of the user. */
  @IsUUID('all')
  relationship: string;

  @RequiredText(1000)
  statement: string;

  /** Age in completed years of the step that comes, for who asks to keep more than it leaves. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(150)
  step?: number;
}

/** The choices that may be approved for a request to change a relationship. */
export class ChangeChoices extends LevelsForApproval {
  /** Label of the basis. */
  basis: string;
  /** The level that applies now. */
  level: { id: string; label: string };
  /** The coming age step that the user asks about, and its day; null for a change that counts at once. */
  step: { age: number; on: string } | null;
  /** False if the age table has no place for it. */
  isPossible: boolean;
}
