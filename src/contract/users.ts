import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { Claim, type UserType } from './session.js';

/** `POST /api/admin/adminmanagement/create-initial`; the capitals are on the wire (`spec §7`). */
export class CreateInitialAdminRequest {
  @IsString()
  @MaxLength(254)
  Email: string;

  @IsString()
  @MaxLength(1000)
  Password: string;

  /** Needed only while `setupTokenRequired` (design: first admin of a portal that does not listen on loopback). */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  SetupToken?: string;
}

/** `POST /api/admin/user`. */
export class CreateUserRequest {
  @IsString()
  @MaxLength(200)
  fullName: string;

  @IsString()
  @MaxLength(254)
  email: string;

  @IsString()
  userType: string;

  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => Claim)
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
