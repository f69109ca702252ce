import { DownOutlined, UpOutlined } from '@ant-design/icons';
import { Switch } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest, FineGrainedScope } from '../../../../src/contract/consent.js';
import { leavesOf, type ScopeChoice, type Selection } from '../../../../src/contract/rules/scopes/scope-choice.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { duration } from '../../shared/i18n/language.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './consent-page.module.css';
import { ScopeRow } from './scope-row.js';
import { badgesOf, grouped, ticked } from './selection.js';

interface Choice {
  choice: ScopeChoice;
  selection: Selection;
  technical: boolean;
  onSelect: (selection: Selection) => void;
}

/** 'Application Access to': all permissions at once, or each for itself. */
export function ApiScopes({ request, ...choosing }: Choice & { request: ConsentRequest }) {
  const { choice, selection, onSelect } = choosing;
  const { t } = useTranslation();
  const offlineHelp = useOfflineHelp(request);
  const all = request.apiScopes.every((scope) => choice.tickOf(selection, scope) === 'all');
  return (
    <div className={cardStyles.card}>
      <label className={styles.grantAll} htmlFor="grant-all">
        <span>{t('consent.grantAll')}</span>
        <Switch
          id="grant-all"
          checked={all}
          onChange={(on) => onSelect(ticked(choice, selection, request.apiScopes, on))}
        />
      </label>
      {grouped(request.apiScopes).map((group) => (
        <div key={group[0]?.value} className={styles.group}>
          {group.map((scope) => (
            <Scope key={scope.value} scope={scope} offlineHelp={offlineHelp} {...choosing} />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OfScope {
  scope: FineGrainedScope;
  offlineHelp?: string | undefined;
  child?: boolean;
}

/** More of them stand behind a button. */
const mostAtOnce = 8;

/** Help text for offline access: its meaning for this app, and its duration. */
function useOfflineHelp({ apiScopes, lasting: { until, offlineSeconds } }: ConsentRequest): string | undefined {
  const { t } = useTranslation();
  const means = apiScopes.some((scope) => badgesOf(scope).includes('canChange')) ? 'offlineChanges' : 'offlineReads';
  if (until !== null) return t(`consent.${means}.until`, { date: longMoment(until) });
  if (offlineSeconds === null) return undefined;
  return t(`consent.${means}.unused`, { duration: duration(offlineSeconds) });
}

function Scope({ scope, offlineHelp, child, ...choosing }: Choice & OfScope) {
  const { choice, selection, technical, onSelect } = choosing;
  const { t } = useTranslation();
  const [open, setOpen] = useState(scope.fineGrainedScopes.length <= mostAtOnce);
  const id = useId();
  const leaves = leavesOf(scope);
  const tick = choice.tickOf(selection, scope);
  const count = leaves.filter((leaf) => selection.has(leaf)).length;
  return (
    <>
      <ScopeRow
        scope={scope}
        tick={tick}
        count={tick === 'some' ? t('consent.selected', { count, total: leaves.length }) : undefined}
        help={scope.value === 'offline_access' ? offlineHelp : undefined}
        locked={scope.required}
        child={child}
        technical={technical}
        onTick={(on) => onSelect(ticked(choice, selection, [scope], on))}
      />
      {scope.fineGrainedScopes.length > mostAtOnce && (
        <button
          type="button"
          className={styles.kinds}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          {open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          {t(open ? 'consent.hideKinds' : 'consent.showKinds', { count: scope.fineGrainedScopes.length })}
        </button>
      )}
      {scope.fineGrainedScopes.length > 0 && open && (
        <div id={id} className={styles.children}>
          {scope.fineGrainedScopes.map((fine) => (
            <Scope key={fine.value} scope={fine} child {...choosing} />
          ))}
        </div>
      )}
    </>
  );
}
