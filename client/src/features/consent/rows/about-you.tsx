import { DownOutlined, InfoCircleOutlined, UpOutlined, UserOutlined } from '@ant-design/icons';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { rowOfScope } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { t } from '../../../shared/i18n/i18n.js';
import { plainList } from '../../../shared/i18n/language.js';
import { textAt } from '../../../shared/i18n/messages.js';
import { translateScope } from '../../../shared/scopes/scope-texts.js';
import cardStyles from '../../../shared/ui/layout/card.module.css';
import type { Choosing } from '../choosing.js';
import styles from '../consent-page.module.css';
import { isFact } from '../selection/selection.js';
import { firstName } from '../words/first-name.js';
import { Row } from './access-row.js';

/** 'Personal information': about the user, and the context that the app was opened in. Folded to one line. */
export function AboutYou({ page, request }: { page: Choosing; request: ConsentRequest }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  const scopes = request.identityScopes.map(({ value }) => value);
  if (scopes.length === 0) return null;
  const short = [...new Set(scopes.map((scope) => shortOf(scope, request)))].filter(Boolean);
  return (
    <section className={styles.section} aria-labelledby="consent-identity">
      <h2 id="consent-identity">{t('consent.identity')}</h2>
      <div className={cardStyles.card}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          <UserOutlined aria-hidden />
          <span className={styles.rowTitle}>{t('consent.about')}</span>
          <span className={styles.description}>{plainList(short)}</span>
          {page.technical && !open && <code className={styles.technical}>{scopes.join(' ')}</code>}
          {open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
        </button>
        {open && (
          <div id={id}>
            {scopes
              .filter((scope) => !isFact(scope))
              .map((scope) => (
                <Row
                  key={scope}
                  row={rowOfScope(scope)}
                  page={page}
                  text={
                    scope === 'fhirUser' && !request.ownRecord
                      ? { title: t('consent.linkToEntry.name'), description: entryHelp(request) }
                      : { title: translateScope(scope).displayName }
                  }
                />
              ))}
            {scopes.filter(isFact).map((scope) => (
              <Fact key={scope} scope={scope} request={request} technical={page.technical} />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

function entryHelp({ acting, patient }: ConsentRequest): string {
  if (!acting || !patient) return t('consent.linkToEntry.help');
  return t('consent.acting.linkHelp', { name: firstName(patient.name) });
}

function shortOf(scope: string, { ownRecord }: ConsentRequest): string {
  const key = isFact(scope) ? 'launch' : scope;
  const isOfUser = !ownRecord && (key === 'launch' || key === 'fhirUser');
  return textAt(`consent.${isOfUser ? 'aboutShortOfUser' : 'aboutShort'}.${key}`);
}

/** The context that the app was opened for: no choice, so without a checkbox. */
function Fact({ scope, request, technical }: { scope: string; request: ConsentRequest; technical: boolean }) {
  const { t } = useTranslation();
  const { ownRecord, patient } = request;
  const { displayName, description } = translateScope(scope);
  const isPatient = scope === 'launch/patient' && (ownRecord || patient !== null);
  const openedFor = ownRecord ? t('consent.openedForOwn') : t('consent.openedFor', { patient: patient?.name ?? '' });
  return (
    <div className={styles.fact}>
      <InfoCircleOutlined aria-hidden />
      <span className={styles.rowTitle}>{isPatient ? t('consent.whichRecord') : displayName}</span>
      <span className={styles.description}>{isPatient ? openedFor : description}</span>
      <span className={styles.description}>{t('consent.alwaysShared')}</span>
      {technical && <code className={styles.technical}>{scope}</code>}
    </div>
  );
}
