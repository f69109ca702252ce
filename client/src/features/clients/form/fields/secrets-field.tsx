import { CopyOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Input, Radio } from 'antd';
import TextArea from 'antd/es/input/TextArea';
import { useTranslation } from 'react-i18next';
import type { ClientSecretForm } from '../../../../../../src/contract/clients/clients.js';
import { withKeysOfSets } from '../../../../../../src/contract/rules/clients/client-secrets.js';
import { copy } from '../../../../shared/copy.js';
import { longDate } from '../../../../shared/i18n/dates.js';
import { ReadOnlyField } from '../../../../shared/ui/forms/read-only-field.js';
import { SecretMarks } from '../../secret-marks.js';
import styles from '../form.module.css';
import {
  endOfDay,
  generateSecret,
  localDay,
  type SecretKind,
  secretKindOf,
  secretKinds,
  secretOf,
} from '../state/secret-draft.js';
import { useClientFormState } from '../state/use-client-form.js';
import { CodeInput } from './code-input.js';
import { Field, FieldGroup, Wrong } from './field.js';
import { KeyAddressField } from './key-address-field.js';
import { RemoveRow, useRowFocus } from './rows-field.js';
import '../words/en.js';

/** The client's credentials: shared secrets, public keys, and addresses of keys. */
export function SecretsField() {
  const { t } = useTranslation();
  const { draft, set, problemAt } = useClientFormState();
  const secrets = draft.clientSecrets;
  const { place, focusRow } = useRowFocus();
  return (
    <FieldGroup
      place="clientSecrets"
      label={t('clients.fields.clientSecrets')}
      help={t('clientForm.help.clientSecrets')}
      problem={problemAt('clientSecrets')}
    >
      {() => (
        <div ref={place}>
          {secrets.map((secret, index) => (
            <SecretRow
              key={secret.id ?? `new ${index}`}
              index={index}
              secret={secret}
              onChange={(change) => set('clientSecrets', withKeysOfSets(secrets.with(index, { ...secret, ...change })))}
              onRemove={() => {
                focusRow(index);
                set('clientSecrets', secrets.toSpliced(index, 1));
              }}
            />
          ))}
          <Button
            icon={<PlusOutlined aria-hidden />}
            onClick={() => {
              focusRow(secrets.length);
              set('clientSecrets', [...secrets, secretOf('SharedSecret')]);
            }}
          >
            {t('clientForm.add.clientSecrets')}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

function SecretRow({
  index,
  secret,
  onChange,
  onRemove,
}: {
  index: number;
  secret: ClientSecretForm;
  onChange: (change: Partial<ClientSecretForm>) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const at = `clientSecrets.${index}`;
  const kind = secretKindOf(secret);
  const title = t('clientForm.secret', { number: index + 1 });
  const { problemAt } = useClientFormState();
  // Another administrator has removed it, for example.
  const problem = problemAt(`${at}.id`) ?? problemAt(`${at}.secretType`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read out twice
    <div className={styles.secret} role="group" aria-label={title} data-row data-place={at}>
      <div className={styles.secretHead}>
        <span className={styles.secretTitle}>
          <span className={styles.label}>{title}</span>
          {secret.id && <SecretMarks secret={{ expires: secret.expires ?? null, lastUsed: secret.lastUsed ?? null }} />}
        </span>
        <RemoveRow label={t('clientForm.removeSecret', { number: index + 1 })} onClick={onRemove} />
      </div>
      {secret.id ? (
        <ReadOnlyField
          label={t('clientForm.secretType')}
          value={t(`clients.secretTypes.${kind}`)}
          reason={t('clientForm.fixedAfterCreation')}
        />
      ) : (
        <Radio.Group
          className={styles.radios}
          aria-label={t('clientForm.secretType')}
          value={kind}
          options={secretKinds.map((value) => ({ value, label: t(`clients.secretTypes.${value}`) }))}
          onChange={({ target }) => onChange(secretOf(target.value as SecretKind))}
        />
      )}
      {problem && <Wrong>{problem}</Wrong>}
      <SecretValue at={at} kind={kind} secret={secret} onChange={onChange} />
      <Field place={`${at}.description`} label={t('clientForm.secretDescription')} optional>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            status={control['aria-invalid'] ? 'error' : ''}
            value={secret.description ?? ''}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
      <Field place={`${at}.expires`} label={t('clientForm.secretExpires')} optional help={t('clientForm.help.expires')}>
        {(control) => (
          <Input
            {...control}
            type="date"
            className={styles.short}
            status={control['aria-invalid'] ? 'error' : ''}
            value={localDay(secret.expires)}
            onChange={({ target }) => onChange({ expires: endOfDay(target.value) })}
          />
        )}
      </Field>
      {secret.lastUsed && (
        <p className={styles.help}>{t('clients.secretUsed', { date: longDate(secret.lastUsed).date })}</p>
      )}
    </div>
  );
}

function SecretValue({
  at,
  kind,
  secret,
  onChange,
}: {
  at: string;
  kind: SecretKind;
  secret: ClientSecretForm;
  onChange: (change: Partial<ClientSecretForm>) => void;
}) {
  const { t } = useTranslation();
  const { problemAt } = useClientFormState();
  if (kind === 'SharedSecret' && secret.id) {
    return (
      <ReadOnlyField
        label={t('clientForm.secretValue.SharedSecret')}
        value={t('clients.secretHidden')}
        reason={t('clientForm.fixedAfterSaving')}
      />
    );
  }
  if (kind === 'JwksUrl') {
    // Without an address, the rules ask for either of the two.
    const problem = problemAt(`${at}.secretUrl`) ?? problemAt(`${at}.secret`);
    return (
      <KeyAddressField
        place={`${at}.secretUrl`}
        problem={problem}
        url={secret.secretUrl ?? ''}
        onChange={(secretUrl) => onChange({ secretUrl })}
      />
    );
  }
  return (
    <Field
      place={`${at}.secret`}
      label={t(`clientForm.secretValue.${kind}`)}
      help={t(kind === 'JWK' ? 'clientForm.help.jwk' : 'clientForm.help.secret')}
    >
      {(control) =>
        kind === 'JWK' ? (
          <TextArea
            {...control}
            className={styles.code}
            status={control['aria-invalid'] ? 'error' : ''}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            value={secret.secret ?? ''}
            onChange={({ target }) => onChange({ secret: target.value })}
          />
        ) : (
          <div className={styles.withButtons}>
            <CodeInput
              control={control}
              value={secret.secret ?? ''}
              onChange={({ target }) => onChange({ secret: target.value })}
            />
            <Button onClick={() => onChange({ secret: generateSecret() })}>{t('clientForm.generate')}</Button>
            <Button
              icon={<CopyOutlined aria-hidden />}
              aria-label={t('clientForm.copySecret')}
              disabled={!secret.secret}
              onClick={() => copy(secret.secret ?? '')}
            />
          </div>
        )
      }
    </Field>
  );
}
