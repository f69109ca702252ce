import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { message } from '../messages/message.js';
import { longestImport } from '../rules/users/user-import.js';
import { WrongLine } from '../users/user-import.js';

/** `POST /api/admin/representation/import`. */
export class RelationshipImportRequest {
  /** A CSV file with a header: `email,name,tenant,patient,basis,level,relation,start,end,related_person,note`. */
  @IsString()
  @MaxLength(longestImport, { context: message('import-too-long', { maximum: longestImport }) })
  csv: string;

  /** True: says what an import would do, and changes nothing. */
  @IsBoolean()
  dryRun: boolean;
}

/** A line that becomes, or became, a relationship. */
export class ImportedRelationship {
  /** The line of the file, from 1. */
  line: number;
  /**
   * `active`; `proposed` for one about which an administrator has to decide: above the age table, without a birth date,
   * of a blocked pair, of the administrator's own case, or while nodes have different rules; `known` for a pair that
   * has one already, which is left out.
   */
  becomes: 'active' | 'proposed' | 'known';
  /** Why it is only proposed; null for others. */
  reason: 'less' | 'refuses' | 'unknown' | 'blocked' | 'own-case' | 'rules-differ' | null;
}

/** The action of an import for each line. */
export class RelationshipImport {
  dryRun: boolean;
  /** The titles of the columns. */
  header: string[];
  /** Columns that are not imported. */
  ignored: string[];
  lines: ImportedRelationship[];
  wrong: WrongLine[];
}
