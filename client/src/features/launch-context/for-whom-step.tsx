import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { LaunchContextKind, LaunchContextRequest } from '../../../../src/contract/launch-context.js';
import { isPage } from '../../../../src/contract/rules/pages.js';
import type { FlowState } from '../../api/authorization.js';
import { useSessionQuery } from '../../api/session.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { hasWords } from '../../shared/list/paging/has-words.js';
import { useShownPart } from '../../shared/list/paging/shown-part.js';
import { SearchField } from '../../shared/list/search-field.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { PatientBanner } from '../../shared/ui/flow/patient-banner.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import styles from './for-whom.module.css';
import { Person } from './for-whom-person.js';
import { isFull } from './for-whom-words.js';

/** From this number of people on there is a search field. */
const many = 8;
const requestPage = '/user/family/request';

/** True if the patient is chosen by a user who acts for others. */
export function isForWhom({ name, data, isUnread }: LaunchContextKind): boolean {
  return name === 'Patient' && (isUnread === true || data.some(({ forWhom }) => forWhom));
}

/** *Who is this for?*: the user's own record, or one of those for whom the user acts; never chosen by itself. */
export function ForWhomStep({
  kind,
  request: { clientName, step, patient },
  returnUrl,
  before,
  way,
  busy,
  onDone,
  onReload,
}: {
  kind: LaunchContextKind;
  request: LaunchContextRequest;
  returnUrl: string;
  /** The row that the user had chosen here before, or that the EHR named. */
  before: string | undefined;
  way: FlowState;
  busy: boolean;
  onDone: (id: string | null) => void;
  onReload: () => void;
}) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const [touched, setTouched] = useState<string | null>();
  const [term, setTerm] = useState('');
  const rows = kind.data.flatMap(({ id, forWhom }) => (forWhom ? { id, ...forWhom } : []));
  const foundRows = rows.filter(({ name }) => hasWords(name, term));
  const chosen = touched === undefined ? before : touched;
  const { shown, more } = useShownPart(foundRows, ({ id }) => id === chosen);
  const selected = shown.find(({ id, selectable }) => id === chosen && selectable)?.id ?? null;
  const client = isolateName(clientName);
  const isFixed = kind.isFixed === true;

  return (
    <>
      {isFixed && patient && <PatientBanner patient={patient} user={user?.fullName} returnUrl={returnUrl} />}
      <FlowColumn>
        <FlowProgress place={{ total: 1, ...way.place, clientName, step }} alone />
        <PageTitle>{t('launchContext.forWhom.title')}</PageTitle>
        <p className={styles.lead}>
          {t(isFixed ? 'launchContext.forWhom.fixed' : 'launchContext.forWhom.lead', { client })}
        </p>
        {rows.length >= many && (
          <search className={styles.search}>
            <SearchField value={term} onSearch={setTerm} placeholder={t('launchContext.forWhom.search')} />
          </search>
        )}
        {kind.isUnread && (
          <div className={styles.unread} role="alert">
            <Banner tone="warning" act={<Button onClick={onReload}>{t('common.tryAgain')}</Button>}>
              {t('launchContext.forWhom.unread')}
            </Banner>
          </div>
        )}
        <div role="radiogroup" aria-label={t('launchContext.forWhom.title')} className={styles.people}>
          {shown.map((row) => (
            <Person
              key={row.id}
              id={row.id}
              forWhom={{ ...row, name: row.name || (user?.fullName ?? '') }}
              client={client}
              checked={row.id === selected}
              isFixed={isFixed}
              onSelect={() => setTouched(row.id)}
            />
          ))}
        </div>
        {more}
        <p role="status" className={term === '' ? 'visually-hidden' : styles.note}>
          {term !== '' && shown.length === 0 && t('launchContext.forWhom.notFound')}
        </p>
        {rows.some(isFull) && <p className={styles.note}>{t('launchContext.forWhom.fullMeans')}</p>}
        {isPage(requestPage) && !isFixed && (
          <p className={styles.missing}>
            <Link to={withReturnUrl(requestPage, returnUrl)}>{t('launchContext.forWhom.missing')}</Link>
          </p>
        )}
      </FlowColumn>
      <ActionBar label={t('launchContext.actions')}>
        <Button className={styles.cancel ?? ''} disabled={busy} loading={way.leaving} onClick={way.onLeave}>
          {t('common.cancel')}
        </Button>
        <Button
          type="primary"
          disabled={selected === null || way.leaving}
          loading={busy && selected !== null}
          onClick={() => onDone(selected)}
        >
          {t('launchContext.forWhom.continue')}
        </Button>
      </ActionBar>
    </>
  );
}
