import type { PatientSource } from '../../contract/audit/access-detail.js';
import { permitsWhole, type ScopeLevel } from '../../contract/rules/scopes/represented-scopes.js';
import { parseScope, type SmartScope } from '../../contract/rules/scopes/smart-scope.js';

/**
 * A further resource or concept in the launch context: a `reference`, a `canonical` or an `identifier` (SMART 2.2
 * §fhircontext).
 */
interface ContextItem {
  reference?: string;
  canonical?: string;
  identifier?: Record<string, unknown>;
  type?: string;
  role?: string;
}

/** Launch context given by an EHR; ids without their type. */
export interface EhrContext {
  patient?: string;
  encounter?: string;
  fhirContext?: ContextItem[];
  needPatientBanner?: boolean;
  intent?: string;
  smartStyleUrl?: string;
}

/** A resource that the user chose on the launch-context page. */
export interface ChosenResource {
  type: string;
  id: string;
}

/** A patient for whom the user may act now. */
export interface Represented {
  /** Id of the relationship. */
  relationship: string;
  /** Id of the patient. */
  patient: string;
  patientName: string;
  /** All of them must permit what is granted. */
  levels: readonly (ScopeLevel & { id: string; label: string })[];
  basis: string;
  /** Id of the relation word. */
  relation: string;
  /** The last day of it, `YYYY-MM-DD`. */
  end: string | null;
  /** The input of an age table: the relationship's own level, and what was approved or agreed to. */
  underAges: {
    level: string;
    withoutBirthDate: boolean;
    aboveTable: { step: number; until: string | null; level?: string | undefined } | null;
    agreedSteps: number[];
  };
  /** The resource that a user without a record is for the patient, `RelatedPerson/{id}` or `Person/{id}`. */
  fhirUser?: string;
}

/**
 * Possible sources of the launch context of one authorization; always collected again, never taken from an earlier one.
 */
export interface LaunchSources {
  /** Id of the user's own record, for a patient. */
  own?: string;
  /** Context of the EHR that launched the client. */
  ehr?: EhrContext;
  chosen: ChosenResource[];
  /** Patients for whom the user may act now, besides their own record; absent for a user who acts for none. */
  represented?: readonly Represented[];
  /** True if there may be more of them, whose records cannot be read now. */
  isUnread?: boolean;
  /** The one for whom the user acts in this authorization. */
  acting?: Represented;
  /** True if the user chose a patient for whom they may not act any more. */
  isWithdrawn?: true;
  /** The panel that limits which patients a practitioner chooses, and an EHR launches for; absent if none does. */
  panel?: PatientSource['panel'];
}

/** User and context of an authorization, as far as scopes depend on them. */
export interface Context {
  /** `Patient/123`, when the account has a valid one. */
  fhirUser: string | undefined;
  /** Id of the patient in context. */
  patient: string | undefined;
  /** True if an EHR launched the client. */
  launched: boolean;
  /** True in a trial: the administrator has no record of their own. */
  isTrial?: boolean;
  /** True if the user has left the page on which the context is chosen, with or without a choice. */
  hasChosen?: boolean;
  /** True if the user may not act any more for the patient who was chosen. */
  isWithdrawn?: true;
  /** True where the gateway of the portal reads the scopes. */
  isEnforced?: boolean;
  /** Levels that limit what a user who acts for the patient grants; absent for any other user. */
  levels?: readonly ScopeLevel[] | undefined;
  /** Types of the resources in context, in lower case. */
  resources: ReadonlySet<string>;
}

/** Launch context of one authorization, kept on its Grant and returned with each of its tokens. */
export type Launch = EhrContext;

/** The id in `Patient/{id}`. */
export function ownRecord(fhirUser: string | undefined): string | undefined {
  const [type, id] = fhirUser?.split('/') ?? [];
  return type === 'Patient' ? id : undefined;
}

/** Context for the decision about scopes, before any is granted. */
export function contextOf(fhirUser: string | undefined, sources: LaunchSources): Context {
  const { own, ehr, chosen, acting, isWithdrawn } = sources;
  return {
    fhirUser: fhirUser ?? acting?.fhirUser,
    ...(acting && { levels: acting.levels }),
    ...(isWithdrawn && { isWithdrawn }),
    patient: own ?? ehr?.patient ?? idOf(chosen, 'Patient'),
    launched: ehr !== undefined,
    resources: new Set([
      ...(own === undefined ? [] : ['patient']),
      ...(ehr ? suppliedBy(ehr) : []),
      ...chosen.map(({ type }) => type.toLowerCase()),
    ]),
  };
}

/**
 * The context of an EHR for a user who acts for its patient: without resources of kinds of which the levels may keep
 * some private, since nothing looks at them here. A canonical is of no record.
 */
export function contextAt(
  { encounter, fhirContext, ...others }: EhrContext,
  levels: readonly ScopeLevel[],
): EhrContext {
  const isOpen = ({ reference, canonical, type }: ContextItem) => {
    if (canonical !== undefined && reference === undefined) return true;
    const of = type ?? reference?.split('/').at(-2);
    return of !== undefined && permitsWhole(of, levels);
  };
  return {
    ...others,
    ...(encounter !== undefined && permitsWhole('Encounter', levels) && { encounter }),
    ...(fhirContext && { fhirContext: fhirContext.filter(isOpen) }),
  };
}

/** Resource types, in lower case, that are known without asking the user. */
export function suppliedBy({ patient, encounter, fhirContext = [] }: EhrContext): string[] {
  const others = fhirContext.flatMap(({ reference, type }) => (type ?? reference?.split('/')[0] ?? []) as string);
  return [
    ...(patient === undefined ? [] : ['patient']),
    ...(encounter === undefined ? [] : ['encounter']),
    ...others.map((type) => type.toLowerCase()).filter((type) => type !== 'patient' && type !== 'encounter'),
  ];
}

/**
 * Context that the granted scopes disclose: with `launch` all that the EHR gave, else only resources with a scope of
 * their own. `patient/` scopes need a patient, so they disclose the patient.
 */
export function resolveLaunch({ own, ehr, chosen }: LaunchSources, granted: string[]): Launch {
  const scopes = granted.map(parseScope).filter((scope) => scope !== undefined);
  const announced: EhrContext | undefined = scopes.some(isPlainLaunch) ? ehr : undefined;
  const forPatient = own ?? ehr?.patient ?? idOf(chosen, 'Patient');
  const forEncounter = ehr?.encounter ?? idOf(chosen, 'Encounter');
  const patient = announced?.patient ?? (scopes.some(meansPatient) ? forPatient : undefined);
  const encounter = announced?.encounter ?? (scopes.some(meansEncounter) ? forEncounter : undefined);
  const fhirContext = [
    ...(announced?.fhirContext ?? []),
    ...scopes.flatMap((scope) => furtherItems(scope, ehr, chosen)),
  ];
  const needPatientBanner = ehr ? (ehr.needPatientBanner ?? true) : patient === undefined ? undefined : true;
  return withoutUndefined({ ...announced, patient, encounter, fhirContext: unique(fhirContext), needPatientBanner });
}

/**
 * The way in which the patient in the context of a practitioner's app was found; undefined for a patient's own record.
 */
export function patientSource(
  { own, ehr, panel, acting }: LaunchSources,
  { patient }: Launch,
): PatientSource | undefined {
  if (patient === undefined || own !== undefined || acting) return undefined;
  return { by: patient === ehr?.patient ? 'ehr' : 'practitioner', ...(panel && { panel }) };
}

/** True if a scope requires a patient in context (`SMART 2.2 scopes-and-launch-context`). */
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

/** Context for `launch/imagingstudy` and its like, which have no member of their own in the token response. */
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

interface LaunchResponse {
  styleUrl: string;
  /** Id of the tenant of the FHIR base. */
  tenant: string | undefined;
  /** True if the client expects `fhirContext` as in SMART 2.0. */
  legacyFhirContext: boolean;
}

/** Launch members of the token response, on the code exchange and on each refresh. */
export function launchMembers(launch: Launch, { styleUrl, tenant, legacyFhirContext }: LaunchResponse) {
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

/** SMART 2.0 has relative references as strings, without roles and without patients and encounters. */
function legacyReferences(items: ContextItem[] = []): string[] | undefined {
  const references = items.flatMap(({ reference }) => reference ?? []);
  const others = references.filter((reference) => !['patient', 'encounter'].includes(typeOf(reference) ?? ''));
  return others.length === 0 ? undefined : others;
}
