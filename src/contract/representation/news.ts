import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';

/** A user who acts for the patient. */
export class ActingNews {
  /** Id of the relationship. */
  id: string;
  name: string;
  /** The user's relation to the patient: `mother`. */
  relation: string;
  /** The first day of it, `YYYY-MM-DD` in the hospital's time zone. */
  since: string;
  /** The kinds that may be seen, as they are configured; null for everything but what is kept private. */
  kinds: string[] | null;
}

/** A user who acts for the patient no more, because of the patient's age. */
export class EndedNews {
  /** Id of the relationship. */
  id: string;
  /** First name. */
  name: string;
  relation: string;
  /** True if everything but what is kept private was seen at every age. */
  wasFull: boolean;
  /** Names of the apps that the user had let in for the patient. */
  apps: string[];
}

/** The age that ended relationships. */
export class ReachedAge {
  /** In completed years. */
  age: number;
  /** The earliest day on which the patient may have reached it, `YYYY-MM-DD`. */
  on: string;
  /** False if the record has a year or a month of birth alone. */
  isExact: boolean;
}

/** `GET /api/representation/news`: what a patient is told once, at the first sign-in after it. */
export class FamilyNews {
  /** First name of the patient; empty without news. */
  firstName: string;
  /** Representatives of the patient, of whom the patient was not told yet. */
  acts: ActingNews[];
  ended: EndedNews[];
  /** Null without an end. */
  reached: ReachedAge | null;
  /** With an end: names of those who still act, and of the apps that the patient has let in. */
  continues: { representatives: string[]; apps: string[] };
  /** True if the patient may invite a helper. */
  canInvite: boolean;
}

/** `POST /api/representation/news`: the patient has seen it. */
export class NewsSeenRequest {
  /** Ids of the relationships that the page told of. */
  @IsArray()
  @ArrayMaxSize(1000)
  @IsUUID('all', { each: true })
  relationships: string[];

  /** That of an app's request, which continues. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string;
}
