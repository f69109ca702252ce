import { parseScope, type SmartScope } from '../../contract/rules/smart-scope.js';

/** Something else that an app is opened for: a `reference`, a `canonical` or an `identifier` (SMART 2.2 §fhircontext). */
export interface ContextItem {
  reference?: string;
  canonical?: string;
  identifier?: Record<string, unknown>;
  type?: string;
  role?: string;
}

/** What an EHR says an app is opened with; ids without their type. */
export interface EhrContext {
  patient?: string;
  encounter?: string;
  fhirContext?: ContextItem[];
  needPatientBanner?: boolean;
  intent?: string;
  smartStyleUrl?: string;
}

/** A resource that the person chose on the launch-context page. */
export interface ChosenResource {
  type: string;
  id: string;
}

/** Where the launch context of one authorization can come from; always gathered anew, never taken from an earlier one. */
export interface LaunchSources {
  /** Id of the person's own record, for a patient. */
  own?: string;
  /** Of the EHR that opened the app. */
  ehr?: EhrContext;
  chosen: ChosenResource[];
}

/** Whom an authorization is for and what context it has, as far as scopes depend on it. */
export interface Context {
  /** `Patient/123`, when the account has a valid one. */
  fhirUser: string | undefined;
  /** Id of the patient in context. */
  patient: string | undefined;
  /** Whether an EHR opened the app. */
  launched: boolean;
  /** The types of the resources in context, in lower case. */
  resources: ReadonlySet<string>;
}

/** Launch context of one authorization, kept on its Grant and told with each of its tokens. */
export type Launch = EhrContext;

/** The id in `Patient/{id}`. */
export function ownRecord(fhirUser: string | undefined): string | undefined {
  const [type, id] = fhirUser?.split('/') ?? [];
  return type === 'Patient' ? id : undefined;
}

/** What scopes can be granted for: decided before anything is. */
export function contextOf(fhirUser: string | undefined, sources: LaunchSources): Context {
  const { own, ehr, chosen } = sources;
  return {
    fhirUser,
    patient: own ?? ehr?.patient ?? idOf(chosen, 'Patient'),
    launched: ehr !== undefined,
    resources: new Set([
      ...(own === undefined ? [] : ['patient']),
      ...(ehr ? suppliedBy(ehr) : []),
      ...chosen.map(({ type }) => type.toLowerCase()),
    ]),
  };
}

/** The resource types, in lower case, that nobody has to be asked for. */
export function suppliedBy({ patient, encounter, fhirContext = [] }: EhrContext): string[] {
  const others = fhirContext.flatMap(({ reference, type }) => (type ?? reference?.split('/')[0] ?? []) as string);
  return [
    ...(patient === undefined ? [] : ['patient']),
    ...(encounter === undefined ? [] : ['encounter']),
    ...others.map((type) => type.toLowerCase()).filter((type) => type !== 'patient' && type !== 'encounter'),
  ];
}

/**
 * What the granted scopes let the app know: all that the EHR said with `launch`, else only what it has a scope of its own
 * for. `patient/` scopes mean somebody, so they come with the patient.
 */
export function resolveLaunch({ own, ehr, chosen }: LaunchSources, granted: string[]): Launch {
  const scopes = granted.map(parseScope).filter((scope) => scope !== undefined);
  const told: EhrContext | undefined = scopes.some(isPlainLaunch) ? ehr : undefined;
  const forPatient = own ?? ehr?.patient ?? idOf(chosen, 'Patient');
  const forEncounter = ehr?.encounter ?? idOf(chosen, 'Encounter');
  const patient = told?.patient ?? (scopes.some(meansPatient) ? forPatient : undefined);
  const encounter = told?.encounter ?? (scopes.some(meansEncounter) ? forEncounter : undefined);
  const fhirContext = [...(told?.fhirContext ?? []), ...scopes.flatMap((scope) => furtherItems(scope, ehr, chosen))];
  const needPatientBanner = ehr ? (ehr.needPatientBanner ?? true) : patient === undefined ? undefined : true;
  return withoutUndefined({ ...told, patient, encounter, fhirContext: unique(fhirContext), needPatientBanner });
}

/** Whether a scope wants a patient in context (`SMART 2.2 scopes-and-launch-context`). */
export function meansPatient(scope: SmartScope): boolean {
  if (scope.kind === 'resource' || scope.kind === 'operation') return scope.subject === 'patient';
  return scope.kind === 'launch' && scope.context === 'patient';
}

function meansEncounter(scope: SmartScope): boolean {
  return scope.kind === 'launch' && scope.context === 'encounter';
}

function isPlainLaunch(scope: SmartScope): boolean {
  return scope.kind === 'launch' && scope.context === null;
}

/** For `launch/imagingstudy` and its like, which have no member of their own in the token answer. */
function furtherItems(scope: SmartScope, ehr: EhrContext | undefined, chosen: ChosenResource[]): ContextItem[] {
  if (scope.kind !== 'launch' || scope.context === null || meansPatient(scope) || meansEncounter(scope)) return [];
  const { context, role } = scope;
  const supplied = (ehr?.fhirContext ?? []).filter(({ reference }) => typeOf(reference) === context);
  const own = chosen
    .filter(({ type }) => type.toLowerCase() === context)
    .map(({ type, id }) => ({ reference: `${type}/${id}`, ...(role === null ? {} : { role }) }));
  return [...supplied, ...own];
}

function typeOf(reference: string | undefined): string | undefined {
  return reference?.split('/')[0]?.toLowerCase();
}

function idOf(chosen: ChosenResource[], type: string): string | undefined {
  return chosen.find((resource) => resource.type === type)?.id;
}

function unique(items: ContextItem[]): ContextItem[] | undefined {
  const texts = [...new Set(items.map((item) => JSON.stringify(item)))];
  return texts.length === 0 ? undefined : texts.map((text) => JSON.parse(text));
}

function withoutUndefined(launch: Launch): Launch {
  return Object.fromEntries(Object.entries(launch).filter(([, value]) => value !== undefined));
}

interface Surroundings {
  styleUrl: string;
  /** Id of the tenant whose FHIR base it is. */
  tenant: string | undefined;
  /** The client expects `fhirContext` as SMART 2.0 had it. */
  legacyFhirContext: boolean;
}

/** What the token answer says about the launch, on the code exchange and on each refresh. */
export function launchMembers(launch: Launch, { styleUrl, tenant, legacyFhirContext }: Surroundings) {
  const fhirContext = legacyFhirContext ? legacyReferences(launch.fhirContext) : launch.fhirContext;
  const members: Record<string, unknown> = {
    patient: launch.patient,
    encounter: launch.encounter,
    fhirContext,
    need_patient_banner: launch.needPatientBanner,
    intent: launch.intent,
    tenant,
    smart_style_url: launch.smartStyleUrl ?? styleUrl,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** SMART 2.0 knows relative references as texts, and neither roles nor patients and encounters among them. */
function legacyReferences(items: ContextItem[] = []): string[] | undefined {
  const references = items.flatMap(({ reference }) => reference ?? []);
  const told = references.filter((reference) => !['patient', 'encounter'].includes(typeOf(reference) ?? ''));
  return told.length === 0 ? undefined : told;
}
