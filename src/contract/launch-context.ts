/** A resource that can be chosen. */
export class LaunchContextRow {
  /** `{Type}/{id}`, so that ids of different kinds cannot be taken for each other. */
  id: string;
  /** What the columns show, by the column's name; dates are ISO 8601. */
  properties: Record<string, string>;
}

/** One step of the launch-context page (`spec §3` Launch-context step). */
export class LaunchContextKind {
  /** The resource type. */
  name: string;
  columns: string[];
  data: LaunchContextRow[];
  /** There are more than `data` holds. */
  hasMore: boolean;
  /** What can be chosen here depends on the patient chosen before: to be asked for again with `patient`. */
  ofPatient: boolean;
}

/** `GET /api/launch-context?returnUrl=…&patient=…`; without `returnUrl` this browser's only pending request is meant. */
export class LaunchContextRequest {
  clientName: string;
  /** In the order in which they are to be chosen. */
  resourceData: LaunchContextKind[];
}

/** `POST /api/launch-context?returnUrl=…` with a JSON array of row ids, at most one of each kind: what was chosen. */
export class LaunchContextResult {
  resourceData: Pick<LaunchContextKind, 'name' | 'columns' | 'data'>[];
}

/** `POST /connect/launchContext`: the value that the EHR passes to the app as `launch`. */
export class EhrLaunchAnswer {
  launchContextIdentifier: string;
}
