import type { FhirServer, ServerNames } from '../../fhir-server/application/fhir-server.js';
import type { Config } from '../../platform/config/config.js';
import { entriesOf, localReference, type Resource, readLimits } from './server-bundles.js';

/** A user who chooses among patients: `Practitioner/…`. */
export type Viewer = string;

type Condition = readonly [name: string, value: string];

/** The patients that a practitioner is offered. */
export interface PractitionerPanel {
  /** The conditions that limit a search for patients; undefined when the panel is empty. */
  conditions(viewer: Viewer): Promise<Condition[] | undefined>;
  /** Keeps the patients in the panel, checked on the data: a server may ignore a condition. */
  keep(patients: Resource[], viewer: Viewer): Promise<Resource[]>;
}

/** Undefined when practitioners are offered all patients. */
export function practitionerPanel(kind: Config['fhir']['panel'], server: FhirServer): PractitionerPanel | undefined {
  switch (kind) {
    case 'all':
      return undefined;
    case 'general-practitioner':
      return new GeneralPractitionerPanel(server);
    case 'care-team':
      return new CareTeamPanel(server);
    case 'organization':
      return new OrganizationPanel(server);
  }
}

class GeneralPractitionerPanel implements PractitionerPanel {
  constructor(private readonly server: FhirServer) {}

  async conditions(viewer: Viewer): Promise<Condition[]> {
    return [['general-practitioner', viewer]];
  }

  async keep(patients: Resource[], viewer: Viewer): Promise<Resource[]> {
    const { names } = this.server;
    return patients.filter((patient) => referencesIn(patient.generalPractitioner, names).includes(viewer));
  }
}

class CareTeamPanel implements PractitionerPanel {
  constructor(private readonly server: FhirServer) {}

  async conditions(viewer: Viewer): Promise<Condition[]> {
    return [['_has:CareTeam:patient:participant', viewer]];
  }

  async keep(patients: Resource[], viewer: Viewer): Promise<Resource[]> {
    if (patients.length === 0) return [];
    const query = new URLSearchParams({
      participant: viewer,
      patient: patients.map(({ id }) => id).join(','),
      _count: '500',
    });
    const teams = entriesOf(await this.server.readJson(`/CareTeam?${query}`, readLimits), 'CareTeam');
    const { names } = this.server;
    const own = new Set(
      teams
        .filter((team) =>
          list(team.participant)
            .flatMap(({ member }) => referencesIn(member, names))
            .includes(viewer),
        )
        .flatMap((team) => referencesIn(team.subject, names)),
    );
    return patients.filter(({ id }) => own.has(`Patient/${id}`));
  }
}

class OrganizationPanel implements PractitionerPanel {
  constructor(private readonly server: FhirServer) {}

  async conditions(viewer: Viewer): Promise<Condition[] | undefined> {
    const organizations = await this.organizationsOf(viewer);
    return organizations.length === 0 ? undefined : [['organization', organizations.join(',')]];
  }

  async keep(patients: Resource[], viewer: Viewer): Promise<Resource[]> {
    if (patients.length === 0) return [];
    const { names } = this.server;
    const organizations = await this.organizationsOf(viewer);
    return patients.filter((patient) =>
      referencesIn(patient.managingOrganization, names).some((organization) => organizations.includes(organization)),
    );
  }

  private async organizationsOf(viewer: Viewer): Promise<string[]> {
    const query = new URLSearchParams({ practitioner: viewer, _count: '100' });
    const roles = entriesOf(await this.server.readJson(`/PractitionerRole?${query}`, readLimits), 'PractitionerRole');
    const { names } = this.server;
    const own = roles.filter(
      (role) => role.active !== false && referencesIn(role.practitioner, names).includes(viewer),
    );
    return [...new Set(own.flatMap((role) => referencesIn(role.organization, names)))];
  }
}

/** References of an element to resources of the server, as `Type/id`. */
function referencesIn(element: unknown, names: ServerNames | undefined): string[] {
  return list(element).flatMap(({ reference }) =>
    typeof reference === 'string' ? (localReference(reference, names) ?? []) : [],
  );
}

function list(element: unknown): Record<string, unknown>[] {
  return [element ?? []].flat().filter((item) => typeof item === 'object' && item !== null) as Record<
    string,
    unknown
  >[];
}
