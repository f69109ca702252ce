import { IsString, IsUUID, MaxLength } from 'class-validator';

/** An app that a user who acts for the patient has let in; dates are ISO 8601 in UTC. */
export class RepresentedApp {
  /** Id of the relationship. */
  relationship: string;
  /** Id of the user, as the record of accesses has it. */
  personId: string;
  /** Name of the user. */
  fullName: string;
  clientId: string;
  clientName: string;
  created: string;
  /** The last access that read data; null without one, and where accesses are not recorded. */
  lastRead: string | null;
}

/** `GET /api/grant/represented`: the apps that others have let in for the user's own record. */
export class RepresentedAppList {
  apps: RepresentedApp[];
}

/** `DELETE /api/grant/represented`. */
export class EndRepresentedAppQuery {
  /** Id of the relationship. */
  @IsUUID('all')
  relationship: string;

  @IsString()
  @MaxLength(200)
  clientId: string;
}
