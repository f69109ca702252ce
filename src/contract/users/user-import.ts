import { IsString, MaxLength } from 'class-validator';
import { type Message, message } from '../messages/message.js';
import { type keptReasons, longestImport } from '../rules/users/user-import.js';

/** `POST /api/admin/user/import` and `PUT /api/admin/user/import/{id}`. */
export class ImportRequest {
  /** A CSV file with a header. */
  @IsString()
  @MaxLength(longestImport, { context: message('import-too-long', { maximum: longestImport }) })
  csv: string;
}

export class ImportProblem {
  /** As the file calls it; null: the whole line. */
  column: string | null;
  messages: Message[];
}

export class WrongLine {
  /** The line of the file, from 1. */
  line: number;
  cells: string[];
  problems: ImportProblem[];
}

export class KnownLine {
  line: number;
  email: string;
}

/** `POST /api/admin/user/import`: what an import of this file would do. Nothing is changed by it. */
export class ImportCheck {
  separator: string;
  header: string[];
  /** Columns that are not imported. */
  ignored: string[];
  /** Lines with a user. */
  total: number;
  /** Users who would be created and invited. */
  fresh: number;
  /** Lines whose address has an account: they are left out. */
  known: KnownLine[];
  wrong: WrongLine[];
}

/** The reason for which an undo keeps a user: the invitation was used, or the user was changed since. */
export type KeptReason = (typeof keptReasons)[number];

export class KeptUser {
  id: string;
  fullName: string;
  reason: KeptReason;
}

/** `/api/admin/user/import/{id}`: how far the import is, and its undo. */
export class ImportProgress {
  /** Users to create. */
  total: number;
  done: number;
  created: number;
  /** The number of lines whose address had got an account by then. */
  known: number;
  /** Refused by then, as another version of the portal checks them. */
  refused: number;
  /** Not imported, because the import was stopped. */
  stopped: number;
  /** Created users about whom an undo has not decided. */
  removable: number;
  /** An undo was requested; it is over when none is removable. */
  isUndone: boolean;
  /** By the undo. */
  removed: number;
  /** Number of users whom the undo has kept. */
  stayed: number;
  /** The first of these. */
  kept: KeptUser[];
}
