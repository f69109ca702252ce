import { IsString, MaxLength } from 'class-validator';
import { type Message, message } from '../messages/message.js';
import { longestImport } from '../rules/users/user-import.js';

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

/** `PUT` and `GET /api/admin/user/import/{id}`: how far the import is. */
export class ImportProgress {
  /** Users to create. */
  total: number;
  done: number;
  created: number;
  /** The number of lines whose address had got an account by then. */
  known: number;
  /** Refused by then, as another version of the portal checks them. */
  refused: number;
}
