import { Injectable } from '@nestjs/common';
import type {
  LaunchContextKind,
  LaunchContextQuery,
  LaunchContextRequest,
  LaunchContextResult,
} from '../../contract/launch-context.js';
import { message } from '../../contract/messages/message.js';
import { permitsWhole } from '../../contract/rules/scopes/represented-scopes.js';
import { type Caller, Interactions, type OpenContext, type OwnRequest } from '../../oidc/application/interactions.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Candidates, type ServerCandidates } from './candidates.js';
import { type ContextType, contextTypesToChoose, isForOther } from './context-types.js';
import { ForWhomRows } from './for-whom-rows.js';
import { NamedPatients } from './named-patients.js';
import { type Offered, OfferedResources } from './offered-resources.js';

/** The inputs from which a page of a kind is built. */
interface Asked {
  open: OpenContext;
  kinds: ContextType[];
  /** Id of the patient in context so far. */
  patient: string | undefined;
  searchTerm: string;
  page: string | undefined;
  candidates: ServerCandidates;
}

/**
 * The step in which a user chooses the context of an app, as far as neither their own record nor the EHR supplies it.
 * A skipped type is not in the context, and the scopes that need it are not granted.
 */
@Injectable()
export class LaunchContext {
  constructor(
    private readonly candidates: Candidates,
    private readonly offers: OfferedResources,
    private readonly forWhom: ForWhomRows,
    private readonly patients: NamedPatients,
    private readonly interactions: Interactions,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns the candidates, kind by kind, or a further page or a search of one kind. With `patient`, a row id of the
   * patients offered before, the candidates belong to that patient.
   */
  async request(
    caller: Caller,
    { patient, kind: wanted, searchTerm = '', page }: Omit<LaunchContextQuery, 'returnUrl'>,
  ): Promise<LaunchContextRequest> {
    const { open } = await this.open(caller);
    const candidates = this.candidates.forTenant(open.tenant);
    const kinds = contextTypesToChoose(open, candidates);
    if (patient !== undefined) await this.assertOffered(open.id, patient);
    const known = patientOf(open) ?? withoutType(patient);
    const asked = kinds.filter(({ type }) => wanted === undefined || type === wanted);
    if (asked.length === 0 || (wanted === undefined && (searchTerm !== '' || page !== undefined))) throw notOffered();
    const [named, ...resourceData] = await Promise.all([
      this.patients.forRequest({ tenant: open.tenant, launch: launchWith(open, patient) }),
      ...asked.map((kind) => this.offer(kind, { open, kinds, patient: known, searchTerm, page, candidates })),
    ]);
    await this.offers.add(open.id, patient, idsOf(resourceData));
    for (const { name, data, ofPatient } of resourceData) {
      const isFirst = searchTerm === '' && page === undefined && (!ofPatient || known !== undefined);
      if (isFirst && data.length === 0) note('context-none', { type: name });
    }
    const { acting } = open.launch;
    const chosen =
      acting && isForOther(open.launch)
        ? [`Patient/${acting.patient}`]
        : open.chosenBefore.map(({ type, id }) => `${type}/${id}`);
    return { clientName: open.clientName, step: open.passedPages + 1, patient: named, chosen, resourceData };
  }

  private async offer(
    kind: ContextType,
    { open, kinds, patient, searchTerm, page, candidates }: Asked,
  ): Promise<LaunchContextKind> {
    const { type } = kind;
    const ofPatient = kind.ofPatient && kinds.some((one) => one.type === 'Patient');
    const about = {
      name: type,
      columns: candidates.columnsOf(type),
      searchable: candidates.isSearchable(type),
      ofPatient,
    };
    if (ofPatient && patient === undefined) return { ...about, data: [], next: null, isCut: false };
    const { launch } = open;
    if (type === 'Patient' && launch.represented) {
      const marks = { ...(isForOther(launch) && { isFixed: true as const }), ...(launch.isUnread && unread) };
      const data = await this.forWhom.list(open, candidates);
      return { ...about, searchable: false, data, next: null, isCut: false, ...marks };
    }
    if (ofPatient && !mayListFor(launch, patient, type)) return { ...about, data: [], next: null, isCut: false };
    const viewer = open.fhirUser?.startsWith('Practitioner/') ? open.fhirUser : undefined;
    const request = { interactionId: open.id, patient, searchTerm, page, viewer };
    const { data, next = null, isCut } = await candidates.page(kind, request);
    return { ...about, data, next, isCut };
  }

  /** Accepts at most one of each kind, and only resources that were offered in this request. */
  async choose(caller: Caller, ids: string[]): Promise<LaunchContextResult> {
    const { open, request } = await this.open(caller);
    const offered = await this.offers.forInteraction(open.id, undefined);
    const patient = ids.find((id) => offered.Patient?.includes(id));
    const ofPatient = patient === undefined ? {} : await this.offers.forInteraction(open.id, patient);
    const candidates = this.candidates.forTenant(open.tenant);
    const kinds = contextTypesToChoose(open, candidates);
    const chosen = kinds.flatMap(({ type, ofPatient: follows }) => {
      const always = follows && patient !== undefined ? [] : (offered[type] ?? []);
      const choices = [...always, ...(ofPatient[type] ?? [])];
      return ids.filter((id) => choices.includes(id)).map((id) => ({ type, id }));
    });
    const types = new Set(chosen.map(({ type }) => type));
    const { clientId } = open;
    // Without a choice the app would get the user's own record, which is never chosen silently.
    const lacksPatient =
      open.launch.represented && kinds.some(({ type }) => type === 'Patient') && !types.has('Patient');
    const skipped = kinds.filter(({ type }) => !types.has(type)).map(({ type }) => type);
    if (chosen.length !== ids.length || types.size !== ids.length || lacksPatient) {
      await this.audit.recordRefusal({ type: 'launch-context.chosen', clientId, detail: { count: ids.length } });
      throw notOffered();
    }
    const resources = chosen.map(({ type, id }) => ({ type, id: withoutType(id) }));
    await this.database.transaction(async () => {
      await this.interactions.chooseContext(request, resources, kinds.length);
      await this.audit.record({ type: 'launch-context.chosen', outcome: 'success', clientId, detail: { chosen: ids } });
      this.database.afterCommit(() => {
        if (ids.length > 0) note('context-chosen', { resources: ids.join(', ') });
        for (const type of skipped) note('context-skipped', { type });
      });
    });
    return {
      resourceData: chosen.map(({ type, id }) => ({
        name: type,
        columns: candidates.columnsOf(type),
        data: [{ id, properties: {} }],
      })),
    };
  }

  private async assertOffered(interactionId: string, patient: string): Promise<void> {
    const { Patient = [] } = await this.offers.forInteraction(interactionId, undefined);
    if (!Patient.includes(patient)) throw notOffered();
  }

  private async open(caller: Caller): Promise<{ open: OpenContext; request: OwnRequest }> {
    const request = await this.interactions.atCurrentStep(await this.interactions.ofCaller(caller));
    return { open: await this.interactions.openContext(request), request };
  }
}

/** The request's context if this patient, a row id, is chosen. */
function launchWith({ launch }: OpenContext, patient: string | undefined): OpenContext['launch'] {
  if (patient === undefined) return { ...launch, chosen: [] };
  const id = withoutType(patient);
  const { own, acting: _, ...others } = launch;
  const acting = launch.represented?.find((one) => one.patient === id);
  const isOther = launch.represented !== undefined && id !== own;
  return { ...(isOther ? others : launch), ...(isOther && acting && { acting }), chosen: [{ type: 'Patient', id }] };
}

const unread = { isUnread: true as const };

/**
 * False for resources of which a level keeps some private: the list is read by the portal, which looks at no level.
 */
function mayListFor({ represented, own }: OpenContext['launch'], patient: string | undefined, type: string): boolean {
  if (!represented || patient === undefined || patient === own) return true;
  const acting = represented.find((one) => one.patient === patient);
  return acting !== undefined && permitsWhole(type, acting.levels);
}

/** The patient who is known without a choice here. */
function patientOf({ launch }: OpenContext): string | undefined {
  return launch.represented ? launch.ehr?.patient : (launch.own ?? launch.ehr?.patient);
}

function idsOf(kinds: LaunchContextKind[]): Offered {
  return Object.fromEntries(
    kinds.map(({ name, data }) => [name, data.flatMap(({ id, forWhom }) => (forWhom?.selectable === false ? [] : id))]),
  );
}

function withoutType<Id extends string | undefined>(id: Id): Id {
  return id?.slice(id.indexOf('/') + 1) as Id;
}

function notOffered(): Problem {
  return new Problem('invalid', message('request-invalid'));
}
