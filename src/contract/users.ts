import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { fhirUserMandatory } from './rules/claims.js';
import { emailInvalid, emailRequired } from './rules/email.js';
import { fieldRequired } from './rules/text.js';
import { userTypeInvalid } from './rules/user-form.js';
import { Claim, type UserType } from './session.js';

/** `POST /api/admin/adminmanagement/create-initial`; the capitals are on the wire (`spec §7`). */
export class CreateInitialAdminRequest {
  @MaxLength(1000, { message: emailInvalid })
  @IsString({ message: emailRequired })
  Email: string;

  @MaxLength(1000)
  @IsString({ message: fieldRequired })
  Password: string;

  /** Needed only while `setupTokenRequired` (design: first admin of a portal that does not listen on loopback). */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  SetupToken?: string;
}

/** `POST /api/admin/user`; the rules and their texts are in `rules/user-form.ts`. */
export class CreateUserRequest {
  @MaxLength(1000)
  @IsString({ message: fieldRequired })
  fullName: string;

  @MaxLength(1000, { message: emailInvalid })
  @IsString({ message: emailRequired })
  email: string;

  @IsString({ message: userTypeInvalid })
  userType: string;

  @Type(() => Claim)
  @ValidateNested({ each: true })
  @ArrayMaxSize(100)
  @IsArray({ message: fhirUserMandatory })
  claims: Claim[];
}

/** `spec §3` User (admin view). */
export class UserView {
  id: string;
  fullName: string;
  email: string | null;
  emailConfirmed: boolean;
  isExternal: boolean;
  userType: UserType;
  claims: Claim[];
}
