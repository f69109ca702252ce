import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import type { ScopeChoice, Selection } from '../../../../src/contract/rules/scopes/scope-choice.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { ApiScopes } from './api-scopes.js';
import styles from './consent-page.module.css';
import { ScopeRow } from './scope-row.js';
import { ticked } from './selection.js';

/** The scopes that the app asks for: about the user, and to data. */
export function ScopeSections({
  request,
  choice,
  selection,
  onSelect,
}: {
  request: ConsentRequest;
  choice: ScopeChoice;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}) {
  const { t } = useTranslation();
  const [technical, setTechnical] = useState(false);
  return (
    <>
      {request.identityScopes.length > 0 && (
        <section className={styles.section} aria-labelledby="consent-identity">
          <h2 id="consent-identity">{t('consent.identity')}</h2>
          <div className={cardStyles.card}>
            {request.identityScopes.map((scope) => (
              <div key={scope.value} className={styles.group}>
                <ScopeRow
                  scope={scope}
                  tick={selection.has(scope.value) ? 'all' : 'none'}
                  locked={scope.required}
                  technical={technical}
                  onTick={(on) => onSelect(ticked(choice, selection, [{ ...scope, fineGrainedScopes: [] }], on))}
                />
              </div>
            ))}
          </div>
        </section>
      )}

      {request.apiScopes.length > 0 && (
        <section className={styles.section} aria-labelledby="consent-api">
          <h2 id="consent-api">{t('consent.api')}</h2>
          <ApiScopes
            request={request}
            choice={choice}
            selection={selection}
            technical={technical}
            onSelect={onSelect}
          />
        </section>
      )}

      <button type="button" className={styles.details} onClick={() => setTechnical(!technical)}>
        {t(technical ? 'consent.hideDetails' : 'consent.showDetails')}
      </button>
    </>
  );
}
