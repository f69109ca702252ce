import { Button, Checkbox, Input, Radio } from 'antd';
import { type ReactNode, useId, useState } from 'react';
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

/** The form of a try: the kind of launch, the test patient, and the scopes. */
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

function Form({ client, options, first }: { client: string; options: TrialOptions; first: TrialKind }) {
  const { t } = useTranslation();
  const { change } = usePageQuery();
  const { kinds, bases } = options;
  const [kind, setKind] = useState(first);
  const [base, setBase] = useState<TrialBase | undefined>(bases[0]);
  const [patient, setPatient] = useState(base?.patients[0]?.id ?? '');
  const [unticked, setUnticked] = useState<readonly string[]>([]);
  const [further, setFurther] = useState('');
  const [problem, setProblem] = useState(false);
  const [start, { isLoading, error }] = useStartTrialMutation();
  const furtherId = useId();
  const offered = options.scopes[kind];
  const scopes = [...offered.filter((scope) => !unticked.includes(scope)), ...further.split(/\s+/).filter(Boolean)];

  const submit = async () => {
    setProblem(scopes.length === 0);
    if (scopes.length === 0) return;
    const tenant = base?.tenant;
    const { data } = await start({ client, kind, scopes, ...(patient && { patient }), ...(tenant && { tenant }) });
    if (data?.authorize) leave(data.authorize, true);
    else if (data) change(() => new URLSearchParams({ id: data.id }));
  };
  const chooseBase = (tenant: string) => {
    const next = bases.find((one) => (one.tenant ?? '') === tenant);
    setBase(next);
    setPatient(next?.patients[0]?.id ?? '');
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
        <Group title={t('launchTrial.kind')}>
          <Radio.Group
            className={styles.choices}
            aria-label={t('launchTrial.kind')}
            value={kind}
            onChange={({ target }) => setKind(target.value)}
            options={kinds.map((value) => ({ value, label: t(`launchTrial.kinds.${value}`) }))}
          />
        </Group>
      )}
      {bases.length > 1 && (
        <Group title={t('launchTrial.base')}>
          <Radio.Group
            className={styles.choices}
            aria-label={t('launchTrial.base')}
            value={base?.tenant ?? ''}
            onChange={({ target }) => chooseBase(target.value)}
            options={bases.map(({ tenant, name }) => ({
              value: tenant ?? '',
              label: name ?? t('launchTrial.withoutTenant'),
            }))}
          />
        </Group>
      )}
      <Group title={t('launchTrial.patient')} help={base?.patients.length ? t('launchTrial.patientHelp') : undefined}>
        {base?.patients.length ? (
          <Radio.Group
            className={styles.choices}
            aria-label={t('launchTrial.patient')}
            value={patient}
            onChange={({ target }) => setPatient(target.value)}
            options={[
              ...base.patients.map(({ id, name }) => ({ value: id, label: name ? `${name} · ${id}` : id })),
              { value: '', label: t('launchTrial.noPatient') },
            ]}
          />
        ) : (
          <p>{t('launchTrial.noPatients')}</p>
        )}
      </Group>
      <Group title={t('launchTrial.scopes')} help={t('launchTrial.scopesHelp')}>
        <ul className={styles.choices}>
          {offered.map((scope) => (
            <li key={scope}>
              <Checkbox
                checked={!unticked.includes(scope)}
                onChange={({ target }) =>
                  setUnticked(target.checked ? unticked.filter((one) => one !== scope) : [...unticked, scope])
                }
              >
                <code className={styles.code}>{scope}</code>
              </Checkbox>
            </li>
          ))}
        </ul>
        <label className={styles.further} htmlFor={furtherId}>
          {t('launchTrial.further')}
        </label>
        <Input
          id={furtherId}
          value={further}
          maxLength={4000}
          autoComplete="off"
          aria-describedby={`${furtherId}-help`}
          aria-invalid={problem || undefined}
          onChange={({ target }) => setFurther(target.value)}
        />
        <p id={`${furtherId}-help`} className={styles.help}>
          {problem && scopes.length === 0 ? t('launchTrial.noScope') : t('launchTrial.furtherHelp')}
        </p>
      </Group>
      <div className={styles.actions}>
        <Button type="primary" htmlType="submit" loading={isLoading}>
          {t('launchTrial.start')}
        </Button>
      </div>
    </form>
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
