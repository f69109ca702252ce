import { LockOutlined, RightOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PatientInContext } from '../../../../src/contract/launch-context.js';
import { isPage } from '../../../../src/contract/rules/pages.js';
import { parseScope } from '../../../../src/contract/rules/scopes/smart-scope.js';
import { useSettings } from '../../api/settings.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { display } from '../../shared/i18n/fhir-dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { listOf } from '../../shared/i18n/language.js';
import { translateScope } from '../../shared/scopes/scope-texts.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Sheet } from '../../shared/ui/overlays/sheet.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import acting from './acting.module.css';
import styles from './consent-page.module.css';
import { wordsOf } from './words/consent-words.js';
import { firstName } from './words/first-name.js';

/** More of a wildcard stand behind a button. */
const mostAtOnce = 4;
/** Its cards have *Ask to change*. */
const familyPage = '/user/family';

/** The kinds that the level keeps private, by its rule alone: the same whatever the record has. */
export function KeptPrivate({
  scopes,
  patient,
  client,
}: {
  scopes: readonly string[];
  patient: PatientInContext;
  client: string;
}) {
  const { t } = useTranslation();
  const [all, setAll] = useState(scopes.length <= mostAtOnce + 1);
  const [open, setOpen] = useState(false);
  if (scopes.length === 0) return null;
  const shown = all ? scopes : scopes.slice(0, mostAtOnce);
  return (
    <section className={styles.section} aria-labelledby="consent-private">
      <div className={styles.sectionHead}>
        <h2 id="consent-private">{t('consent.acting.private')}</h2>
        <p className={styles.count}>{t('consent.acting.privateCount', { count: scopes.length })}</p>
      </div>
      <p className={styles.lead}>{t('consent.acting.privateLead', { client: isolateName(client) })}</p>
      <div className={cardStyles.card}>
        <ul className={acting.private}>
          {shown.map((scope) => {
            const help = helpOf(scope);
            return (
              <li key={scope}>
                <LockOutlined aria-hidden className={acting.lock ?? ''} />
                <span className={acting.privateName}>{translateScope(scope).displayName}</span>
                {help && <span className={acting.help}>{help}</span>}
              </li>
            );
          })}
        </ul>
        {!all && (
          <button type="button" className={acting.more} onClick={() => setAll(true)}>
            {t('consent.showKinds', { count: scopes.length - shown.length })}
          </button>
        )}
        <button type="button" className={acting.why} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <span>{t('consent.acting.why')}</span>
          <RightOutlined aria-hidden className={acting.turned ?? ''} />
        </button>
      </div>
      <WhyPrivate patient={patient} open={open} onClose={() => setOpen(false)} />
    </section>
  );
}

/** The content of a kind that is asked for as a whole. */
function helpOf(scope: string): string {
  const parsed = parseScope(scope);
  return parsed?.kind === 'resource' && parsed.query.length === 0 ? wordsOf(parsed.type) : '';
}

/** The rule in one sentence, and the ways to get more. */
function WhyPrivate({ patient, open, onClose }: { patient: PatientInContext; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const settings = useSettings();
  const { basis = '', levels = [] } = patient.acting ?? {};
  const organization = settings.organizationTitle ?? t('product.name');
  return (
    <Sheet
      open={open}
      caption={t('consent.acting.private')}
      title={t('consent.acting.why')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <div className={acting.whyTexts}>
        <p>{t('consent.acting.rule', { basis, levels: listOf(levels), name: firstName(patient.name) })}</p>
        <p>{t('consent.acting.ruleOnly')}</p>
        <h3>{t('consent.acting.whatToDo')}</h3>
        {patient.acting?.changesOn && (
          <p>
            <NewTabLink
              href={`${window.location.origin}${portalPath(`${familyPage}/birthdays/${patient.acting.relationship}?acting`)}`}
            >
              {t('consent.acting.changes', { date: display(patient.acting.changesOn, 'long') })}
            </NewTabLink>
          </p>
        )}
        {isPage(familyPage) && (
          <p>
            <NewTabLink href={`${window.location.origin}${portalPath(familyPage)}`}>
              {t('consent.acting.ask')}
            </NewTabLink>
          </p>
        )}
        <p>{t('consent.acting.desk', { organization })}</p>
      </div>
    </Sheet>
  );
}
