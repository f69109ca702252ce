import { Input, Radio, Switch } from 'antd';
import CheckboxGroup from 'antd/es/checkbox/Group';
import TextArea from 'antd/es/input/TextArea';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import {
  accessTokenTypes,
  applicationTypes,
  requiredAcrs,
  securityProfiles,
  smartActions,
  smartLegacyActions,
  smartSubjects,
} from '../../../../../../src/contract/rules/client-values.js';
import type { ClientField, lifetimeFields } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { parseLifetime } from '../../../../../../src/contract/rules/lifetime.js';
import { exactDuration } from '../../../../shared/i18n/language.js';
import { ReadOnlyField } from '../../../../shared/ui/forms/read-only-field.js';
import { TagMark } from '../../../../shared/ui/marks/tag-mark.js';
import styles from '../form.module.css';
import { useClientFormState } from '../state/use-client-form.js';
import { type Choice, ChoiceList } from './choice-list.js';
import { ClientClaims } from './claims-field.js';
import { Field, FieldGroup, SwitchRow, Warnings } from './field.js';
import { TextRows } from './rows-field.js';
import { SecretsField } from './secrets-field.js';
import { TypeField } from './type-field.js';
import '../words/en.js';

type FieldOf<Value> = { [Field in ClientField]: ClientForm[Field] extends Value ? Field : never }[ClientField];
type Switched = FieldOf<boolean>;
type Lifetime = (typeof lifetimeFields)[number];
type Chosen = 'clientType' | 'accessTokenType' | 'applicationType' | 'securityProfile' | 'requiredAcr';
type Line = Exclude<FieldOf<string>, Lifetime | Chosen>;
type Ticks = 'allowedSmartActions' | 'allowedSmartLegacyActions' | 'allowedSmartSubjects';
type Many = 'allowedResourceTypes' | 'allowedOperationScopes' | 'allowedTenants' | 'identityProviderRestrictions';

/** A field of the client form, as its kind of value asks for. */
export function ClientFieldInput({ field }: { field: ClientField }): ReactNode {
  switch (field) {
    case 'clientType':
      return <TypeField />;
    case 'clientTags':
      return <TagsField />;
    case 'clientSecrets':
      return <SecretsField />;
    case 'clientClaims':
      return <ClientClaims />;
    case 'allowedGrantTypes':
      return <GrantTypes />;
    case 'accessTokenType':
      return <TokenType />;
    case 'applicationType':
      return <AppType />;
    case 'securityProfile':
      return <Profile />;
    case 'requiredAcr':
      return <RequiredSignIn />;
    case 'allowedSmartActions':
      return <TicksField field={field} values={smartActions} />;
    case 'allowedSmartLegacyActions':
      return <TicksField field={field} values={smartLegacyActions} />;
    case 'allowedSmartSubjects':
      return <TicksField field={field} values={smartSubjects} />;
    case 'allowedResourceTypes':
    case 'allowedOperationScopes':
    case 'allowedTenants':
    case 'identityProviderRestrictions':
      return <ManyField field={field} />;
    case 'redirectUris':
      return <TextRows field={field} optional={false} />;
    case 'postLogoutRedirectUris':
    case 'requiredScopes':
    case 'defaultScopes':
      return <OptionalRows field={field} />;
    case 'accessTokenLifetime':
    case 'refreshTokenLifetime':
    case 'consentLifetime':
    case 'maxAuthenticationAge':
      return <LifetimeField field={field} />;
    case 'clientName':
    case 'clientId':
      return <LineField field={field} optional={false} />;
    case 'description':
    case 'backChannelLogoutUri':
    case 'clientClaimPrefix':
    case 'legalCompanyName':
    case 'contactUsUrl':
    case 'privacyPolicyUrl':
    case 'termsOfServiceUrl':
    case 'initiateLoginUri':
      return <LineField field={field} optional />;
    default:
      return <SwitchField field={field} />;
  }
}

const technical: readonly ClientField[] = ['clientId', 'backChannelLogoutUri', 'clientClaimPrefix'];

function LineField({ field, optional }: { field: Line; optional: boolean }) {
  const { t } = useTranslation();
  const { draft, set } = useClientFormState();
  const help = useHelp(field);
  return (
    <Field place={field} label={t(`clients.fields.${field}`)} optional={optional} help={help}>
      {(control) => {
        const props = {
          ...control,
          status: control['aria-invalid'] ? ('error' as const) : ('' as const),
          autoComplete: 'off',
          value: draft[field],
          onChange: ({ target }: { target: { value: string } }) => set(field, target.value),
        };
        if (field === 'description') return <TextArea {...props} rows={3} />;
        return technical.includes(field) ? (
          <Input {...props} className={styles.code} spellCheck={false} autoCapitalize="none" />
        ) : (
          <Input {...props} />
        );
      }}
    </Field>
  );
}

function SwitchField({ field }: { field: Switched }) {
  const { t } = useTranslation();
  const { draft, set, isLocked } = useClientFormState();
  const locked = isLocked(field);
  const help = useHelp(field);
  return (
    <SwitchRow
      place={field}
      label={t(`clients.fields.${field}`)}
      help={help}
      locked={locked ? t(`clientForm.locked.${lockReason(field)}`) : undefined}
    >
      {(control) => <Switch {...control} disabled={locked} checked={draft[field]} onChange={(on) => set(field, on)} />}
    </SwitchRow>
  );
}

function lockReason(field: ClientField) {
  if (field === 'requireClientSecret') return 'creation';
  return field === 'enableLocalLogin' || field === 'enableExternalLogin' ? 'restricted' : 'type';
}

function TicksField({ field, values }: { field: Ticks; values: readonly string[] }) {
  const { t } = useTranslation();
  const { draft, set, isLocked, problemIn } = useClientFormState();
  const locked = isLocked(field);
  const help = useHelp(field);
  return (
    <FieldGroup
      place={field}
      label={t(`clients.fields.${field}`)}
      help={help}
      problem={problemIn(field)}
      locked={locked ? t('clientForm.locked.type') : undefined}
    >
      {() => (
        <CheckboxGroup
          className={styles.ticks}
          disabled={locked}
          value={draft[field]}
          options={values.map((value) => ({ value, label: t(`clientForm.values.${value}` as never) as string }))}
          onChange={(ticked) => set(field, ticked as never)}
        />
      )}
    </FieldGroup>
  );
}

function ManyField({ field }: { field: Many }) {
  const { t } = useTranslation();
  const { draft, set, problemIn } = useClientFormState();
  const choices = useChoices(field);
  const help = useHelp(field);
  const label = t(`clients.fields.${field}`);
  return (
    <FieldGroup place={field} label={label} help={help} problem={problemIn(field)}>
      {() => (
        <ChoiceList
          label={label}
          choices={choices}
          selected={draft[field]}
          all={t(`clientForm.all.${field}`)}
          onChange={(selected) => set(field, selected)}
        />
      )}
    </FieldGroup>
  );
}

function useChoices(field: Many): Choice[] {
  const { t } = useTranslation();
  const { resourceTypes, operationScopes, tenants, providers, environment } = useClientFormState().context;
  const technical = (value: string): Choice => ({
    value,
    label: <span className={styles.code}>{value}</span>,
    text: value,
  });
  switch (field) {
    case 'allowedResourceTypes': {
      const groups = environment.resourceTypeGroups.map(({ name, resourceTypes: members }): Choice => {
        const text = t('clientForm.group', { name, count: members.length });
        return { value: name, label: text, text: [text, ...members].join(' ') };
      });
      return [...groups, ...resourceTypes.map(technical)];
    }
    case 'allowedOperationScopes':
      return operationScopes.map(technical);
    case 'allowedTenants':
      return tenants.map(({ id, name }) => ({ value: id, label: name, text: name }));
    case 'identityProviderRestrictions':
      return providers.map(({ scheme, displayName }) => ({ value: scheme, label: displayName, text: displayName }));
  }
}

function TagsField() {
  const { t } = useTranslation();
  const { draft, set, context } = useClientFormState();
  const label = t('clients.fields.clientTags');
  if (context.tags.length === 0) return null;
  return (
    <FieldGroup place="clientTags" label={label} optional>
      {() => (
        <ChoiceList
          label={label}
          choices={context.tags.map(({ id, value, color }) => ({
            value: id,
            text: value,
            label: (
              <span className={styles.tagName}>
                <TagMark color={color} /> {value}
              </span>
            ),
          }))}
          selected={draft.clientTags.map(({ id }) => id)}
          onChange={(ids) =>
            set(
              'clientTags',
              context.tags.filter(({ id }) => ids.includes(id)),
            )
          }
        />
      )}
    </FieldGroup>
  );
}

/** As typed and, below, as people say it. */
function LifetimeField({ field }: { field: Lifetime }) {
  const { t } = useTranslation();
  const { draft, set } = useClientFormState();
  const text = draft[field].trim();
  const seconds = parseLifetime(text);
  const grace = field === 'accessTokenLifetime' && draft.accessTokenType === 'Jwt';
  const isOptional = field === 'consentLifetime' || field === 'maxAuthenticationAge';
  const unlimited = field === 'maxAuthenticationAge' ? t('clients.noLimit') : t('clients.noEnd');
  const durationText = text === '' && isOptional ? unlimited : seconds && exactDuration(seconds);
  const why = useHelp(field);
  return (
    <Field
      place={field}
      label={t(`clients.fields.${field}`)}
      optional={isOptional}
      help={[durationText, grace && t('clientForm.grace'), why].filter(Boolean).join('. ')}
    >
      {(control) => (
        <Input
          {...control}
          className={`${styles.code} ${styles.short}`}
          status={control['aria-invalid'] ? 'error' : ''}
          placeholder={t(`clientForm.placeholder.${field}`)}
          autoComplete="off"
          value={draft[field]}
          onChange={({ target }) => set(field, target.value)}
        />
      )}
    </Field>
  );
}

function GrantTypes() {
  const { t } = useTranslation();
  const { draft } = useClientFormState();
  return (
    <div data-place="allowedGrantTypes">
      <ReadOnlyField
        label={t('clients.fields.allowedGrantTypes')}
        value={<span className={styles.code}>{draft.allowedGrantTypes.join(', ')}</span>}
        reason={t('clientForm.locked.type')}
      />
      <Warnings place="allowedGrantTypes" />
    </div>
  );
}

function TokenType() {
  const { t } = useTranslation();
  const { draft, set } = useClientFormState();
  const help = useHelp('accessTokenType');
  return (
    <FieldGroup place="accessTokenType" label={t('clients.fields.accessTokenType')} help={help}>
      {() => (
        <Radio.Group
          className={styles.radios}
          aria-label={t('clients.fields.accessTokenType')}
          value={draft.accessTokenType}
          options={[...accessTokenTypes]}
          onChange={({ target }) => set('accessTokenType', target.value)}
        />
      )}
    </FieldGroup>
  );
}

function OptionalRows({ field }: { field: 'postLogoutRedirectUris' | 'requiredScopes' | 'defaultScopes' }) {
  const help = useHelp(field);
  return <TextRows field={field} help={help} optional />;
}

function AppType() {
  const { t } = useTranslation();
  const { draft, set } = useClientFormState();
  const help = useHelp('applicationType');
  return (
    <FieldGroup place="applicationType" label={t('clients.fields.applicationType')} help={help}>
      {() => (
        <Radio.Group
          className={styles.radios}
          aria-label={t('clients.fields.applicationType')}
          value={draft.applicationType}
          options={applicationTypes.map((value) => ({ value, label: t(`clients.applicationTypes.${value}`) }))}
          onChange={({ target }) => set('applicationType', target.value)}
        />
      )}
    </FieldGroup>
  );
}

function Profile() {
  const { t } = useTranslation();
  const { draft, chooseProfile } = useClientFormState();
  const help = useHelp('securityProfile');
  return (
    <FieldGroup place="securityProfile" label={t('clients.fields.securityProfile')} help={help}>
      {() => (
        <Radio.Group
          className={styles.radios}
          aria-label={t('clients.fields.securityProfile')}
          value={draft.securityProfile}
          options={securityProfiles.map((value) => ({ value, label: t(`clients.profiles.${value}`) }))}
          onChange={({ target }) => chooseProfile(target.value)}
        />
      )}
    </FieldGroup>
  );
}

function RequiredSignIn() {
  const { t } = useTranslation();
  const { draft, set, problemIn } = useClientFormState();
  const help = useHelp('requiredAcr');
  return (
    <FieldGroup
      place="requiredAcr"
      label={t('clients.fields.requiredAcr')}
      help={help}
      problem={problemIn('requiredAcr')}
    >
      {() => (
        <Radio.Group
          className={styles.radios}
          aria-label={t('clients.fields.requiredAcr')}
          value={draft.requiredAcr}
          options={requiredAcrs.map((value) => ({ value, label: t(`clients.requiredAcrs.${value}`) }))}
          onChange={({ target }) => set('requiredAcr', target.value)}
        />
      )}
    </FieldGroup>
  );
}

/** Help that the field's name alone does not give. */
function useHelp(field: ClientField): string | undefined {
  const { t, i18n } = useTranslation();
  const { draft, mode } = useClientFormState();
  // The operator of the app must be told (its requests carry the id).
  if (field === 'clientId' && mode === 'create') return undefined;
  if (field === 'allowManagementApiAccess' && draft.clientType !== 'StandaloneApp') return undefined;
  const key = `clientForm.help.${field}`;
  return i18n.exists(key) ? t(key as never) : undefined;
}
