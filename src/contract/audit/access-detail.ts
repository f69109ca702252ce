/** FHIR interactions that the gateway knows (FHIR R4 §3.1.0). */
export type Interaction =
  | 'read'
  | 'vread'
  | 'history-instance'
  | 'history-type'
  | 'search'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'operation';

/** Number of resources by kind: a type such as `Encounter`, or type and category such as `Observation/laboratory`. */
export type SeenKinds = Record<string, number>;

/** Patients that one event names at most; an answer about more of them is recorded in several parts. */
export const mostPatientsOfEvent = 500;

/** The way in which the patient of a practitioner's app was found when the app was opened. */
export interface PatientSource {
  /** The EHR that launched the app, or the practitioner, who chose. */
  by: 'ehr' | 'practitioner';
  /** The relation to the practitioner that was checked then (`fhir.panel`); absent without a check. */
  panel?: 'general-practitioner' | 'care-team' | 'organization';
}

/** `detail` of a `record.accessed` event; user, client, address and time are columns. */
export interface AccessDetail {
  method: string;
  /** Below the FHIR base, as it was asked for. */
  target: string;
  status: number;
  /** Absent for a request that is not an interaction, such as a batch. */
  interaction?: Interaction;
  /** `Type/id`, or the type alone. */
  resource?: string;
  /** Id of the patient in context, or else of the one that the address names. */
  patient?: string;
  /**
   * Ids of the patients whose data was answered or changed, at most {@link mostPatientsOfEvent}; with
   * `audit.attribution: context` the one in `patient`. Absent in events of earlier versions.
   */
  patients?: string[];
  /** At the index of each of `patients`; absent with `audit.attribution: context`. */
  seen?: SeenKinds[];
  /** 2 and more: a further part of the answer that the event with the same correlation id began. */
  part?: number;
  /** Identifies the bulk export that the request belongs to. */
  export?: string;
  /** Id of the launch that the token came from. */
  launch?: string;
  /** The source of `patient`, where it is the patient in the context of another user's app. */
  patientSource?: PatientSource;
  /** Id of the relationship by which the user acted for the patient. */
  representation?: string;
  /** The app used offline access, and the user had no session here. */
  unattended?: true;
  /** An administrator tried the app, which got nothing of it. The user is the administrator. */
  trial?: true;
  /** Absolute URL. */
  fhirUser?: string;
  tenant?: string;
  /**
   * The FHIR server's reason for its refusal (an OperationOutcome), where the app did not get it because it may name
   * other resources.
   */
  serverWords?: string;
}
