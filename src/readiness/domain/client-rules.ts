import { type Message, message } from '../../contract/messages/message.js';
import { type Finding, type Named, namesOf, pass, type Remedy } from './finding.js';

/** Enabled clients by what is remarkable about them. */
export interface ClientFacts {
  /** Need a secret or key, and have no valid one. */
  withoutValidSecret: Named;
  /** Have an expired secret or key next to a valid one. */
  withExpiredSecret: Named;
  forAllTypes: Named;
  publicWithOfflineAccess: Named;
  /** Have a secret or key. */
  provingThemselves: number;
  /** The clients of these that are older than the time after which a client counts as unused, and not used since. */
  unused: Named;
}

export function clientSecrets({ withoutValidSecret, withExpiredSecret }: ClientFacts): Finding {
  if (withoutValidSecret.count > 0) {
    return clientFinding('blocking', withoutValidSecret, {
      finding: message('readiness-client-secrets-none-valid', { names: namesOf(withoutValidSecret) }),
      advice: message('readiness-client-secrets-none-valid-do'),
    });
  }
  if (withExpiredSecret.count > 0) {
    return clientFinding('improve', withExpiredSecret, {
      finding: message('readiness-client-secrets-expired', { names: namesOf(withExpiredSecret) }),
      advice: message('readiness-client-secrets-expired-do'),
      query: 'secretStates=expired',
    });
  }
  return pass(message('readiness-client-secrets-pass'));
}

export function clientWildcards({ forAllTypes }: ClientFacts): Finding {
  if (forAllTypes.count === 0) return pass(message('readiness-client-wildcards-pass'));
  return clientFinding('improve', forAllTypes, {
    finding: message('readiness-client-wildcards-some', { names: namesOf(forAllTypes) }),
    advice: message('readiness-client-wildcards-do'),
  });
}

export function clientOfflineAccess({ publicWithOfflineAccess }: ClientFacts): Finding {
  if (publicWithOfflineAccess.count === 0) return pass(message('readiness-client-offline-access-pass'));
  return clientFinding('improve', publicWithOfflineAccess, {
    finding: message('readiness-client-offline-access-some', { names: namesOf(publicWithOfflineAccess) }),
    advice: message('readiness-client-offline-access-do'),
  });
}

export function clientUse({ provingThemselves, unused }: ClientFacts): Finding {
  if (provingThemselves === 0) {
    return {
      state: 'unknown',
      finding: message('readiness-client-use-unseen'),
      advice: message('readiness-client-use-unseen-do'),
    };
  }
  if (unused.count === 0) return pass(message('readiness-client-use-pass'));
  return clientFinding('improve', unused, {
    finding: message('readiness-client-use-some', { names: namesOf(unused) }),
    advice: message('readiness-client-use-do'),
    query: 'secretStates=idle&isEnabled=true',
  });
}

/** `query`: the filter of the list for several clients. One client is opened. */
function clientFinding(
  state: Finding['state'],
  { count, first: [first] }: Named,
  { query, ...texts }: { finding: Message; advice: Message; query?: string },
): Finding {
  const list = '/admin/client-management';
  const remedy: Remedy =
    count === 1 && first
      ? { kind: 'page', to: `${list}?client=${first.id}`, label: message('readiness-open-client') }
      : { kind: 'page', to: query ? `${list}?${query}` : list, label: message('readiness-open-clients') };
  return { state, ...texts, remedy };
}
