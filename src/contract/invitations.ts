import { IsBoolean, IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { CalendarDay, EmailAddress, OptionalOrEmpty, RequiredLine, VisibleLine } from './list-query.js';
import { ChosenKinds } from './representation/chosen-kinds.js';
import { LevelView, SingleKinds } from './representation/levels.js';

/** Days in which an invitation can be accepted, and wrong codes in all. */
export const invitationDays = 7;
export const invitationTries = 5;

/** A basis that patients choose themselves, with its relations. */
export class InvitationBasis {
  id: string;
  label: string;
  relations: { id: string; label: string }[];
  /** With what the basis keeps private. */
  levels: LevelView[];
  /** The kinds that can be chosen one by one; null for levels alone. */
  single: SingleKinds | null;
}

/** An invitation that waits, as the patient sees it; days are `YYYY-MM-DD` in the hospital's time zone. */
export class InvitationView {
  id: string;
  fullName: string;
  email: string;
  /** The invited user's relation to the patient: `brother`. */
  relation: string;
  level: LevelView;
  /** The last day on which the invited user may act; null without an end. */
  end: string | null;
  invitedAt: string;
  expiresAt: string;
  /** Wrong codes that are left. */
  triesLeft: number;
}

/** An invitation that came to nothing; one that the patient cancelled is none of these. */
export class EndedInvitation {
  id: string;
  fullName: string;
  relation: string;
  invitedAt: string;
  why: 'declined' | 'codes-used-up' | 'expired';
}

/** `GET /api/representation/invitations`: what waits, and what can be chosen for a new one. */
export class InvitationList {
  invitations: InvitationView[];
  /** Those of the last 30 days; none whose address was invited again since. */
  ended: EndedInvitation[];
  bases: InvitationBasis[];
}

/** An invitation with its code, which the patient tells the invited user; it is in no mail. */
export class InvitationWithCode extends InvitationView {
  /** Six digits. */
  spokenCode: string;
  /** The link to hand over, where no mail server is configured; left out elsewhere. */
  link?: string;
}

/** A proof of the user next to the request; without it a sign-in or a passkey of the last five minutes is needed. */
export class InvitationProof {
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(1000)
  currentPassword?: string;
}

/** `POST /api/representation/invitations`. */
export class InviteRequest extends InvitationProof {
  @RequiredLine(200)
  fullName: string;

  @EmailAddress()
  email: string;

  /** Id of a basis that patients choose themselves; the first one by default. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  basis?: string;

  /** Id of a relation of the basis; the neutral one by default. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  relation?: string;

  /** Id of a level. */
  @IsString()
  @MaxLength(64)
  level: string;

  /** The kinds of the level that may be seen, one by one; left out for the whole level. */
  @ChosenKinds()
  kinds?: string[];

  /** The last day that counts. */
  @OptionalOrEmpty()
  @CalendarDay()
  end?: string;

  /** Id of the tenant of the patient's record, for a patient of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** The token of the link. */
export class InvitationLink {
  @IsString()
  @MaxLength(200)
  token: string;
}

/** `POST /api/invitations/{id}/facts`: what the invited user sees before the code; no name but the first. */
export class InvitationFacts {
  firstName: string;
  level: LevelView;
  end: string | null;
  /** True of a link that the patient handed over: it proves no address, and makes no account. Left out elsewhere. */
  handedOver?: true;
  /** True where users sign in at other providers alone: the link makes no account. Left out elsewhere. */
  makesNoAccount?: true;
}

/** `POST /api/invitations/{id}/acceptance`. */
export class AcceptInvitationRequest extends InvitationLink {
  /** Six digits; blanks between them do not count. */
  @IsString()
  @Matches(/^\s*(?:\d\s*){6}$/)
  spokenCode: string;

  /** The invited user says to be 18 or older. */
  @IsBoolean()
  isAdult: boolean;

  /**
   * `own`: the account that is signed in. `new`: one for the invited address, which has none; not by a link that was
   * handed over.
   */
  @IsIn(['own', 'new'])
  account: 'own' | 'new';

  /** Name of a new account; by default the one that the patient wrote. */
  @IsOptional()
  @VisibleLine(200)
  fullName?: string;
}

/** The outcome. */
export class AcceptedInvitation {
  /** `waiting`: the hospital checks it first. */
  state: 'active' | 'waiting';
  /** Path of the page on which the user of a new account chooses a password; null for an existing account. */
  activation: string | null;
}
