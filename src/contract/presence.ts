import { IsIn, IsUUID } from 'class-validator';

const kinds = ['client', 'user', 'request'] as const;
const states = ['viewing', 'editing', 'saved', 'left'] as const;

/** The use of an opened record by an administrator: `editing` has its form open, `saved` has just saved it. */
export type PresentState = 'viewing' | 'editing' | 'saved';

/** `PUT /api/admin/presence`: a tab repeats it while a client, user or request is open in it, and ends with `left`. */
export class PresenceReport {
  @IsIn([...kinds])
  kind: (typeof kinds)[number];

  @IsUUID('all')
  id: string;

  /** Chosen by the tab, a new one each time that a record is opened. */
  @IsUUID('all')
  tab: string;

  @IsIn([...states])
  state: (typeof states)[number];
}

export class PresentAdministrator {
  name: string;
  state: PresentState;
}

export class PresenceView {
  /** Each once, by what they do and by name, 20 at most. */
  others: PresentAdministrator[];
  /** The use by the same administrator in other tabs. */
  ownTabs: PresentState | null;
}
