import { Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ApiScope, ConsentRequest } from '../../../../src/contract/consent.js';
import { longMoment } from '../../shared/dates.js';
import { duration } from '../../shared/i18n/language.js';
import cardStyles from '../../shared/ui/card.module.css';
import styles from './consent-page.module.css';
import { ScopeRow } from './scope-row.js';
import { allPermissions, badgesOf, grouped, leavesOf, type Selection, ticked, tickOf } from './selection.js';

interface Choice {
  selection: Selection;
  technical: boolean;
  onSelect: (selection: Selection) => void;
}

/** 'Application Access to': all permissions at once, or each for itself. */
export function ApiScopes({ request, selection, technical, onSelect }: Choice & { request: ConsentRequest }) {
  const { t } = useTranslation();
  const offlineHelp = useOfflineHelp(request);
  const all = tickOf(selection, request.apiScopes.flatMap(leavesOf)) === 'all';
  return (
    <div className={cardStyles.card}>
      <label className={styles.grantAll} htmlFor="grant-all">
        <span>{t('consent.grantAll')}</span>
        <Switch id="grant-all" checked={all} onChange={(on) => onSelect(allPermissions(request, selection, on))} />
      </label>
      {grouped(request.apiScopes).map((group) => (
        <div key={group[0]?.value} className={styles.group}>
          {group.map((scope) => (
            <Scope
              key={scope.value}
              scope={scope}
              selection={selection}
              technical={technical}
              offlineHelp={offlineHelp}
              onSelect={onSelect}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OfScope {
  scope: ApiScope;
  offlineHelp: string | undefined;
}

/** What staying connected means for this app, and for how long. */
function useOfflineHelp({ apiScopes, lasting: { until, offlineSeconds } }: ConsentRequest): string | undefined {
  const { t } = useTranslation();
  const means = apiScopes.some((scope) => badgesOf(scope).includes('canChange')) ? 'offlineChanges' : 'offlineReads';
  if (until !== null) return t(`consent.${means}.until`, { date: longMoment(until) });
  if (offlineSeconds === null) return undefined;
  return t(`consent.${means}.unused`, { duration: duration(offlineSeconds) });
}

function Scope({ scope, selection, technical, offlineHelp, onSelect }: Choice & OfScope) {
  const { t } = useTranslation();
  const leaves = leavesOf(scope);
  const tick = tickOf(selection, leaves);
  const count = leaves.filter((leaf) => selection.has(leaf)).length;
  return (
    <>
      <ScopeRow
        scope={scope}
        tick={tick}
        count={tick === 'some' ? t('consent.selected', { count, total: leaves.length }) : undefined}
        help={scope.value === 'offline_access' ? offlineHelp : undefined}
        locked={scope.required}
        technical={technical}
        onTick={(on) => onSelect(ticked(selection, leaves, on))}
      />
      {scope.fineGrainedScopes.length > 0 && (
        <div className={styles.children}>
          {scope.fineGrainedScopes.map((fine) => (
            <ScopeRow
              key={fine.value}
              scope={fine}
              tick={selection.has(fine.value) ? 'all' : 'none'}
              locked={scope.required}
              child
              technical={technical}
              onTick={(on) => onSelect(ticked(selection, [fine.value], on))}
            />
          ))}
        </div>
      )}
    </>
  );
}
