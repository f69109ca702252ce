import { useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';
import type { PresenceReport, PresenceView } from '../../../src/contract/presence.js';
import { randomId } from '../shared/browser/random-id.js';
import { isSame } from '../shared/drafts/merge.js';
import { api } from './base.js';
import { OpenReports } from './open-reports.js';

const presenceApi = api.injectEndpoints({
  endpoints: (build) => ({
    reportPresence: build.mutation<PresenceView, PresenceReport>({
      // The last report outlives its page.
      query: (body) => ({ url: 'admin/presence', method: 'PUT', body, keepalive: body.state === 'left' }),
      // A page does without it, also when it is the first call to learn that the session has ended.
      extraOptions: { spared: 'session' },
    }),
  }),
});

const tags = { client: 'Clients', user: 'Users', request: 'Requests' } as const;

/**
 * Reports that a record is open here, and returns who else has it open. What others save is loaded again, unless it is
 * being edited here: the form itself notices when it is saved.
 */
export function usePresence({
  kind,
  id,
  open,
  editing,
}: Pick<PresenceReport, 'kind' | 'id'> & { open: boolean; editing: boolean }): {
  presence: PresenceView | undefined;
  tellSaved: () => void;
} {
  const [report] = presenceApi.useReportPresenceMutation();
  const [presence, setPresence] = useState<PresenceView>();
  const reports = useRef<OpenReports>(null);
  const isEditing = useRef(editing);
  isEditing.current = editing;

  useEffect(() => {
    if (!open) return;
    const begin = () => {
      const tab = randomId();
      reports.current = new OpenReports(
        (state) => report({ kind, id, tab, state }),
        () => isEditing.current,
        (view) => setPresence((before) => (isSame(before, view) ? before : view)),
      );
    };
    const end = () => reports.current?.end();
    const seen = () => {
      if (document.visibilityState === 'visible') reports.current?.reportChange();
    };
    // The browser may show the page again as it was left.
    const shown = ({ persisted }: PageTransitionEvent) => persisted && begin();
    begin();
    window.addEventListener('pagehide', end);
    window.addEventListener('pageshow', shown);
    document.addEventListener('visibilitychange', seen);
    return () => {
      window.removeEventListener('pagehide', end);
      window.removeEventListener('pageshow', shown);
      document.removeEventListener('visibilitychange', seen);
      end();
    };
  }, [report, kind, id, open]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its change is what is reported
  useEffect(() => reports.current?.reportChange(), [editing]);

  useStaleRecord(kind, namesOfSavers(presence), editing);
  return { presence, tellSaved: () => reports.current?.saved() };
}

/** The names of those who have just saved it, as one text. */
function namesOfSavers(presence: PresenceView | undefined): string {
  const names = presence?.others.filter(({ state }) => state === 'saved').map(({ name }) => name) ?? [];
  return JSON.stringify(presence?.ownTabs === 'saved' ? [...names, null] : names);
}

function useStaleRecord(kind: PresenceReport['kind'], savedBy: string, editing: boolean): void {
  const dispatch = useDispatch();
  const known = useRef('[]');
  const isStale = useRef(false);
  useEffect(() => {
    if (savedBy !== known.current && savedBy !== '[]') isStale.current = true;
    known.current = savedBy;
    if (!isStale.current || editing) return;
    isStale.current = false;
    dispatch(api.util.invalidateTags([tags[kind]]));
  }, [dispatch, kind, savedBy, editing]);
}
