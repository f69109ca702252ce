import { Button, Checkbox, Input, Radio } from 'antd';
import { type ReactNode, useId, useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TrialBase, TrialKind, TrialOptions } from '../../../../src/contract/clients/launch-trial.js';
import { useStartTrialMutation, useTrialOptionsQuery } from '../../api/clients/launch-trial.js';
import { formErrors, isGone } from '../../api/failures/form-errors.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { leave } from '../../shared/browser/leave.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { clientAddress } from './parts.js';
import styles from './try-launch.module.css';

/** The form of a trial: the kind of launch, the test patient, and the scopes. */
export function TrialForm({ client }: { client: string }) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useTrialOptionsQuery(client);
  const slow = useSlow(isFetching && !data);
  if (isGone(error)) return <NotFoundPage />;
  if (error && !isFetching) return <LoadFailed heading="h1" onRetry={refetch} />;
  return (
    <>
      <PageTitle>{t('launchTrial.title')}</PageTitle>
      {data ? <Options client={client} options={data} /> : slow && <Skeleton width="60%" />}
    </>
  );
}

function Options({ client, options }: { client: string; options: TrialOptions }) {
  const { t } = useTranslation();
  const { obstacle, kinds, clientName, clientId } = options;
  const name = isolateName(clientName || clientId);
  return (
    <>
      <p className={styles.lead}>{t('launchTrial.lead', { client: name })}</p>
      {obstacle ? (
        <div role="status">
          <Banner
            tone="warning"
            act={
              <Link className="target" to={clientAddress(client)}>
                {t('launchTrial.toClient')}
              </Link>
            }
          >
            {t(obstacle === 'disabled' ? 'launchTrial.disabled' : 'launchTrial.noType')}
          </Banner>
        </div>
      ) : (
        kinds[0] && <Form client={client} options={options} first={kinds[0]} />
      )}
    </>
  );
}

/** The administrator's choices for the trial. */
interface Trial {
  kind: TrialKind;
  base: TrialBase | undefined;
  /** Empty: the launch has no patient. */
  patient: string;
  unticked: readonly string[];
  /** Further scopes, as they were typed. */
  further: string;
}

const at = (base: TrialBase | undefined) => ({ base, patient: base?.patients[0]?.id ?? '' });

function Form({ client, options, first }: { client: string; options: TrialOptions; first: TrialKind }) {
  const { t } = useTranslation();
  const { change } = usePageQuery();
  const { kinds, bases } = options;
  const [trial, choose] = useReducer((before: Trial, next: Partial<Trial>) => ({ ...before, ...next }), {
    kind: first,
    ...at(bases[0]),
    unticked: [],
    further: '',
  });
  const [problem, setProblem] = useState(false);
  const [start, { isLoading, error }] = useStartTrialMutation();
  const { kind, base, patient } = trial;
  const offered = options.scopes[kind];
  const scopes = [
    ...offered.filter((scope) => !trial.unticked.includes(scope)),
    ...trial.further.split(/\s+/).filter(Boolean),
  ];

  const submit = async () => {
    setProblem(scopes.length === 0);
    if (scopes.length === 0) return;
    const tenant = base?.tenant;
    const { data } = await start({ client, kind, scopes, ...(patient && { patient }), ...(tenant && { tenant }) });
    if (data?.authorize) leave(data.authorize, true);
    else if (data) change(() => new URLSearchParams({ id: data.id }));
  };

  return (
    <form
      className={`${cardStyles.card} ${styles.form}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <ErrorList errors={error ? formErrors(error).form : []} />
      {kinds.length > 1 && (
        <Choice
          title={t('launchTrial.kind')}
          value={kind}
          onChange={(value) => choose({ kind: value as TrialKind })}
          options={kinds.map((value) => ({ value, label: t(`launchTrial.kinds.${value}`) }))}
        />
      )}
      {bases.length > 1 && (
        <Choice
          title={t('launchTrial.base')}
          value={base?.tenant ?? ''}
          onChange={(tenant) => choose(at(bases.find((one) => (one.tenant ?? '') === tenant)))}
          options={bases.map(({ tenant, name }) => ({
            value: tenant ?? '',
            label: name ?? t('launchTrial.withoutTenant'),
          }))}
        />
      )}
      {base?.patients.length ? (
        <Choice
          title={t('launchTrial.patient')}
          help={t('launchTrial.patientHelp')}
          value={patient}
          onChange={(value) => choose({ patient: value })}
          options={[
            ...base.patients.map(({ id, name }) => ({ value: id, label: name ? `${name} · ${id}` : id })),
            { value: '', label: t('launchTrial.noPatient') },
          ]}
        />
      ) : (
        <Group title={t('launchTrial.patient')}>
          <p>{t('launchTrial.noPatients')}</p>
        </Group>
      )}
      <Scopes
        offered={offered}
        trial={trial}
        missing={problem && scopes.length === 0}
        problem={problem}
        onChange={choose}
      />
      <div className={styles.actions}>
        <Button type="primary" htmlType="submit" loading={isLoading}>
          {t('launchTrial.start')}
        </Button>
      </div>
    </form>
  );
}

/** One of several, by its radio button. */
function Choice({
  title,
  help,
  value,
  options,
  onChange,
}: {
  title: string;
  help?: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
}) {
  return (
    <Group title={title} help={help}>
      <Radio.Group
        className={styles.choices}
        aria-label={title}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        options={options}
      />
    </Group>
  );
}

/** The scopes of the kind of launch, each to be unticked, and further ones to be typed. */
function Scopes({
  offered,
  trial: { unticked, further },
  problem,
  missing,
  onChange,
}: {
  offered: readonly string[];
  trial: Trial;
  /** The form was sent without a scope; `missing`: and still has none. */
  problem: boolean;
  missing: boolean;
  onChange: (next: Partial<Trial>) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Group title={t('launchTrial.scopes')} help={t('launchTrial.scopesHelp')}>
      <ul className={styles.choices}>
        {offered.map((scope) => (
          <li key={scope}>
            <Checkbox
              checked={!unticked.includes(scope)}
              onChange={({ target }) =>
                onChange({ unticked: target.checked ? unticked.filter((one) => one !== scope) : [...unticked, scope] })
              }
            >
              <code className={styles.code}>{scope}</code>
            </Checkbox>
          </li>
        ))}
      </ul>
      <label className={styles.further} htmlFor={id}>
        {t('launchTrial.further')}
      </label>
      <Input
        id={id}
        value={further}
        maxLength={4000}
        autoComplete="off"
        aria-describedby={`${id}-help`}
        aria-invalid={problem || undefined}
        onChange={({ target }) => onChange({ further: target.value })}
      />
      <p id={`${id}-help`} className={styles.help}>
        {missing ? t('launchTrial.noScope') : t('launchTrial.furtherHelp')}
      </p>
    </Group>
  );
}

function Group({ title, help, children }: { title: string; help?: string | undefined; children: ReactNode }) {
  return (
    <section className={styles.group}>
      <h2>{title}</h2>
      {help && <p className={styles.help}>{help}</p>}
      {children}
    </section>
  );
}
