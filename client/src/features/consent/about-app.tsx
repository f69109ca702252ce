import { InfoCircleOutlined } from '@ant-design/icons';
import { createElement, Fragment, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { summaryOf } from '../../../../src/contract/rules/scopes/access-summary.js';
import { useSettings } from '../../api/settings.js';
import { t } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Logo } from '../../shared/ui/marks/brand-mark.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './consent-page.module.css';
import type { ConsentWords } from './words/consent-words.js';
import { type Earlier, earlierTexts } from './words/earlier.js';
import { firstName } from './words/first-name.js';
import { summaryLines } from './words/summary.js';

/** The app that asks, the organization whose data it asks for, and what it asks for in a few lines. */
export function AppHead({
  request,
  words,
  earlier,
  summary,
}: {
  request: ConsentRequest;
  words: ConsentWords;
  earlier: Earlier;
  summary: RefObject<HTMLParagraphElement | null>;
}) {
  const { t } = useTranslation();
  const settings = useSettings();
  const { clientName, legalCompanyName, redirectHost, firstTime } = request;
  return (
    <>
      <div className={styles.head}>
        <div className={styles.parties} aria-hidden="true">
          <Monogram name={clientName} size={44} />
          <span className={styles.arrow} />
          <Logo settings={settings} size={44} />
        </div>
        <ul className={styles.about}>
          {legalCompanyName ? (
            <li>
              <Emphasised text={t('consent.maker', { company: isolateName(legalCompanyName) })} />
            </li>
          ) : (
            <li className={styles.unknown}>{t('consent.makerUnknown')}</li>
          )}
          <li>{t('consent.returnsTo', { host: redirectHost })}</li>
        </ul>
      </div>
      <PageTitle className={styles.title}>{titleOf(request)}</PageTitle>
      <p className={styles.summary} ref={summary} id="consent-summary">
        <span data-edge />
        {createElement(Fragment, null, ...summaryLines(request, words).map(lineOf))}
        <span data-edge />
      </p>
      <ul className={styles.notes}>
        <li className={firstTime ? styles.firstTime : undefined}>
          <InfoCircleOutlined aria-hidden />{' '}
          <div>
            {firstTime
              ? t('consent.firstTime')
              : earlierTexts(request, earlier).map((text) => (
                  <span key={text} className={styles.told}>
                    {text}
                  </span>
                ))}
          </div>
        </li>
      </ul>
    </>
  );
}

function titleOf({ clientName, acting, patient, apiScopes }: ConsentRequest): string {
  const client = isolateName(clientName);
  if (!acting || !patient) return t('consent.title', { client });
  const { asked } = summaryOf(apiScopes, false);
  const isChange = asked.some(({ add, change, delete: remove }) => [add, change, remove].some((one) => one.length > 0));
  const of = { client, name: firstName(patient.name) };
  return t(isChange ? 'consent.acting.titleChange' : 'consent.acting.title', of);
}

/** The addresses that the maker registered. */
export function MakerLinks({ request }: { request: ConsentRequest }) {
  const { t } = useTranslation();
  const { contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = request;
  if (!contactUsUrl && !privacyPolicyUrl && !termsOfServiceUrl) return null;
  return (
    <p className={styles.legal}>
      {contactUsUrl && <NewTabLink href={contactUsUrl}>{t('consent.contact')}</NewTabLink>}
      {privacyPolicyUrl && <NewTabLink href={privacyPolicyUrl}>{t('consent.privacyPolicy')}</NewTabLink>}
      {termsOfServiceUrl && <NewTabLink href={termsOfServiceUrl}>{t('consent.termsOfService')}</NewTabLink>}
    </p>
  );
}

const lineOf = (text: string) => (
  <span className={styles.told}>
    <Emphasised text={text} />
  </span>
);

/** A text of the catalogue with `<b>…</b>`. */
export function Emphasised({ text }: { text: string }) {
  const parts = text
    .split(/<\/?b>/)
    .map((part, index) => (index % 2 === 1 ? createElement('strong', null, part) : part));
  return createElement(Fragment, null, ...parts);
}
