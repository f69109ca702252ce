import { Injectable } from '@nestjs/common';
import type { ForWhom, LaunchContextRow } from '../../contract/launch-context.js';
import { namedKinds, representedPart } from '../../contract/rules/scopes/represented-scopes.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import type { OpenContext } from '../../oidc/application/interactions.js';
import type { Represented } from '../../oidc/domain/launch.js';
import { RepresentationRules } from '../../representation/application/representation-rules.js';
import type { ServerCandidates } from './candidates.js';
import { isForOther } from './context-types.js';

/**
 * *Who is this for?*: the user's own record first, then those for whom the user may act now, by name; or the one whom
 * the EHR named.
 */
@Injectable()
export class ForWhomRows {
  constructor(private readonly rules: RepresentationRules) {}

  async list(open: OpenContext, candidates: ServerCandidates): Promise<LaunchContextRow[]> {
    const { launch, fhirUser } = open;
    const { represented = [], acting } = launch;
    if (acting && isForOther(launch)) return [await this.rowOf(acting, open, candidates)];
    const own = fhirUser?.startsWith('Patient/') ? fhirUser.slice('Patient/'.length) : undefined;
    const byName = [...represented].sort((a, b) => a.patientName.localeCompare(b.patientName));
    return Promise.all([
      ...(own === undefined ? [] : [this.ownRow(own, candidates)]),
      ...byName.map((one) => this.rowOf(one, open, candidates)),
    ]);
  }

  private async ownRow(id: string, candidates: ServerCandidates): Promise<LaunchContextRow> {
    const { name = '', birthDate } = (await named(id, candidates)) ?? {};
    const forWhom: ForWhom = { name, relation: null, birthDate: birthDate || null, ...ownRecord };
    return { id: `Patient/${id}`, properties: {}, forWhom };
  }

  private async rowOf(
    one: Represented,
    { scopes, tenant }: OpenContext,
    candidates: ServerCandidates,
  ): Promise<LaunchContextRow> {
    const found = await named(one.patient, candidates);
    const next = this.rules.nextLoss({ ...one.underAges, basis: one.basis, tenant }, found?.birthDate, new Date());
    const forWhom: ForWhom = {
      name: found?.name ?? one.patientName,
      relation: this.rules.relationWords(one).patient,
      birthDate: found?.birthDate || null,
      levels: one.levels.map(({ id, label }) => ({ id, label })),
      kinds: namedKinds(one.levels) ?? null,
      end: one.end,
      next: next ? { on: next.on, ends: next.ends, needsAgreement: next.needsAgreement } : null,
      selectable: givesSomething(one, scopes),
    };
    return { id: `Patient/${one.patient}`, properties: {}, forWhom };
  }
}

const ownRecord = { levels: [], kinds: null, end: null, next: null, selectable: true };

/** Undefined while the FHIR server gives no answer: the choice is possible all the same. */
async function named(id: string, candidates: ServerCandidates) {
  try {
    return await candidates.identify(id);
  } catch {
    return undefined;
  }
}

/** True if something is left of what the app asks for of the record; true as well if it asks for none of it. */
function givesSomething({ levels }: Represented, scopes: string[]): boolean {
  const ofRecord = scopes
    .map(parseScope)
    .filter((scope) => scope !== undefined)
    .filter((scope) => (scope.kind === 'resource' || scope.kind === 'operation') && scope.subject === 'patient');
  return ofRecord.length === 0 || ofRecord.some((scope) => representedPart(scope, levels).length > 0);
}
