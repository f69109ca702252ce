import { IsString, MaxLength } from 'class-validator';
import { EmailAddress, OptionalOrEmpty, RequiredLine } from '../list-query.js';

/** `GET /api/requests/account`: what the form asks for. */
export class AccountForm {
  /** The hospitals of the portal; empty for a portal of one. */
  tenants: { id: string; name: string }[];
  /** False if a FHIR server belongs to no tenant: a request without `tenant` means the hospital of that one. */
  isTenantRequired: boolean;
}

/**
 * `POST /api/requests/account`: a user without an account wants to ask to act for a patient. The answer is the same
 * whatever is entered.
 */
export class AskForAccountRequest {
  @RequiredLine(200)
  fullName: string;

  @EmailAddress()
  email: string;

  /** Id of the hospital, for a portal of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** `POST /api/requests/account/{id}`: the token of the mailed link. */
export class AccountLink {
  @IsString()
  @MaxLength(4000)
  token: string;
}

/** The account that was made. */
export class OpenedAccount {
  /** Path of the page on which its user chooses a password. */
  activation: string;
}
