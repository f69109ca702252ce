import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { asList, Printable } from './list-query.js';
import { longestPaletteTerm, mostOpened } from './rules/lists.js';
import type { UserType } from './session.js';

/** The query of `GET /api/admin/palette`. */
export class PaletteQuery {
  /** Words, each matched literally and in any order. */
  @IsString()
  @MaxLength(longestPaletteTerm)
  @Printable()
  term: string;
}

export class FoundClient {
  id: string;
  clientId: string;
  clientName: string;
  enabled: boolean;
  /** Has a shared secret, which can be rotated. */
  hasSharedSecret: boolean;
}

export class FoundRedirectUri {
  uri: string;
  /** The client that has it. */
  client: FoundClient;
}

export class FoundUser {
  id: string;
  fullName: string;
  email: string | null;
  userType: UserType;
}

export class FoundRecord {
  /** `{Type}/{id}`. */
  reference: string;
  /** The user whose record it is. */
  user: FoundUser;
}

/** `GET /api/admin/palette`: the best matches of each kind, at most five; those that begin with the term first. */
export class PaletteMatches {
  clients: FoundClient[];
  redirectUris: FoundRedirectUri[];
  users: FoundUser[];
  records: FoundRecord[];
}

/** The query of `GET /api/admin/palette/opened`; lists are repeated keys. */
export class OpenedQuery {
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(mostOpened)
  @IsUUID('all', { each: true })
  client: string[] = [];

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(mostOpened)
  @IsUUID('all', { each: true })
  user: string[] = [];
}

/** `GET /api/admin/palette/opened`: those that exist. */
export class OpenedRows {
  clients: FoundClient[];
  users: FoundUser[];
}
