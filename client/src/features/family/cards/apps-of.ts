import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { useRepresentedAppsQuery } from '../../../api/own-record/family.js';
import { useGrantsQuery } from '../../../api/own-record/grants.js';
import { useSessionQuery } from '../../../api/session.js';

/** For whom the user acts, or who acts for the user. */
export type Side = 'lookedAfter' | 'helpers';

/** An app that has access by a relationship. */
interface AppOf {
  clientId: string;
  name: string;
  /** ISO 8601; null if it has read nothing. */
  lastRead: string | null;
}

/** The apps that have access by a relationship, the one that read last first; undefined until they are known. */
export function useAppsOf({ id, patient, tenant }: OwnRelationship, side: Side): AppOf[] | undefined {
  const isHelper = side === 'helpers';
  const { data: user } = useSessionQuery();
  const { data: represented } = useRepresentedAppsQuery(undefined, {
    skip: !isHelper || user?.userType !== 'Patient',
    refetchOnMountOrArgChange: true,
  });
  const { data: grants } = useGrantsQuery(undefined, { skip: isHelper, refetchOnMountOrArgChange: true });
  const own = grants?.clientsPermissions.filter(
    (one) =>
      patient !== null && one.patient?.reference === `Patient/${patient}` && (one.patient.tenant ?? null) === tenant,
  );
  const apps = isHelper
    ? represented
        ?.filter(({ relationship }) => relationship === id)
        .map(({ clientId, clientName: name, lastRead }) => ({ clientId, name, lastRead }))
    : own?.map(({ clientId, clientName, lastRead = null }) => ({ clientId, name: clientName || clientId, lastRead }));
  return apps?.toSorted((one, other) => (other.lastRead ?? '').localeCompare(one.lastRead ?? ''));
}
