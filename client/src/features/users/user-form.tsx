import { Form, Input, Radio } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createdUserTypes, maxFullName } from '../../../../src/contract/rules/users/user-form.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { formErrors, hasPageOfItsOwn, isOlderVersion, isSignedOut } from '../../api/failures/form-errors.js';
import type { StoredVersion } from '../../api/stored-version.js';
import { forgetDraft, keptDraft } from '../../shared/drafts/drafts.js';
import { isSame, type Merge, mergeFields } from '../../shared/drafts/merge.js';
import {
  beginDraft,
  discarded,
  type RecordDraft,
  rebased,
  replacesStored,
  sent,
} from '../../shared/drafts/record-draft.js';
import { t } from '../../shared/i18n/i18n.js';
import { notify } from '../../shared/notices.js';
import { ClaimsFields } from '../../shared/ui/forms/claims-fields.js';
import { ConflictNotice } from '../../shared/ui/forms/conflict-notice.js';
import { DraftNotice } from '../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { ReadOnlyField } from '../../shared/ui/forms/read-only-field.js';
import { useUnsavedChanges } from '../../shared/ui/forms/unsaved-changes.js';
import {
  claimsForType,
  draftOf,
  fieldsOf,
  type KeptUserDraft,
  newUser,
  problemsOf,
  type UserDraft,
  userDraftName,
} from './user-draft.js';
import styles from './users-page.module.css';
import '../../shared/ui/forms/words/en.js';
import '../../shared/ui/marks/words/en.js';

const pathOf = (field: string) => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/**
 * The form of a new user, or of one who exists. Nothing is complained from before it is saved for the first time; from
 * then on everything is as soon as it changes. `save` gives the error of the call, if it failed; `version` is that of a
 * stored user.
 */
export function useUserForm(
  before: UserView | undefined,
  save: (draft: UserDraft) => Promise<{ error?: unknown }>,
  version?: StoredVersion<UserView>,
) {
  const [form] = Form.useForm<UserDraft>();
  const [tried, setTried] = useState(false);
  const name = userDraftName(before?.id ?? 'new');
  const [kept] = useState(() => keptDraft<KeptUserDraft>(name));
  const stored = before ? draftOf(before) : newUser;
  const [state, setState] = useState(() => beginDraft(stored, kept?.initial));
  const change = (changes: Partial<RecordDraft<UserDraft>>) => setState((current) => ({ ...current, ...changes }));
  const { base, merged, errors } = state;
  // While the form is shown it is drawn again with each change, for the two sides of a conflict.
  Form.useWatch([], form);
  const draft = () => complete({ ...base, ...form.getFieldsValue(true) });
  const unsaved = useUnsavedChanges(() => !isSame(draft(), base), {
    name,
    value: (): KeptUserDraft => ({ initial: base, draft: draft(), version: version?.current() }),
  });

  const focus = (field: string) => {
    // A list of claims cannot have the focus, but its first field can.
    const place = field === 'claims' ? 'claims.0.name' : field;
    const instance = form.getFieldInstance(pathOf(place)) as { focus?: () => void; nativeElement?: HTMLElement } | null;
    if (field === 'userType') instance?.nativeElement?.querySelector('input')?.focus();
    else instance?.focus?.();
  };

  const discard = () => {
    forgetDraft(name);
    change(discarded(stored));
    version?.restart();
    form.setFieldsValue(stored);
  };

  const merge = async () => {
    const theirs = await version?.reload();
    if (!theirs) return change({ errors: [t('conflict.notLoaded')] });
    const result = mergeFields(base, draft(), draftOf(theirs));
    form.setFieldsValue(result.form);
    change(rebased(result));
  };

  const submit = async () => {
    change(sent);
    const { error } = await save(draft());
    if (!error || hasPageOfItsOwn(error)) return;
    if (isOlderVersion(error)) return merge();
    if (isSignedOut(error)) return change({ errors: formErrors(error).form });
    const problems = formErrors(error, fieldsOf(draft()));
    form.setFields(
      Object.entries(problems.fields).map(([field, messages]) => ({ name: pathOf(field) as never, errors: messages })),
    );
    change({ errors: problems.form });
    notify('error', t('errors.notSaved'));
    const [first] = Object.keys(problems.fields);
    if (first) focus(first);
  };

  const fields = (id: string, children?: ReactNode) => (
    <Form<UserDraft>
      name={id}
      form={form}
      layout="vertical"
      initialValues={kept?.draft ?? base}
      validateTrigger={[]}
      noValidate
      onFinish={submit}
      onFinishFailed={({ errorFields }) => {
        setTried(true);
        focus(errorFields[0]?.name.join('.') ?? '');
      }}
      onValuesChange={({ userType }) => {
        if (userType) form.setFieldValue('claims', claimsForType(draft().claims, userType));
        if (tried) form.validateFields().catch(() => undefined);
      }}
    >
      {state.isBroughtBack && <DraftNotice onDiscard={discard} />}
      {merged && <MergeNotice merged={merged} draft={draft()} onChoose={(value) => form.setFieldsValue(value)} />}
      <UserFields
        before={before}
        problemOf={(field) => problemsOf(draft(), before).find((problem) => problem.field === field)?.messages[0]}
      />
      <ErrorList errors={errors} />
      {children}
    </Form>
  );
  return { fields, replaces: replacesStored(state, draft()), ...unsaved };
}

function MergeNotice({
  merged,
  draft,
  onChoose,
}: {
  merged: Merge<UserDraft>;
  draft: UserDraft;
  onChoose: (value: Partial<UserDraft>) => void;
}) {
  const { t } = useTranslation();
  const labels = {
    fullName: t('users.name'),
    email: t('users.email'),
    userType: t('users.userType'),
    claims: t('claims.title'),
  };
  const isTheirs = (field: keyof UserDraft) => isSame(draft[field], merged.stored[field]);
  return (
    <ConflictNotice
      conflict={merged}
      kept={merged.kept.map((field) => ({
        field,
        label: labels[field],
        mine: <Value of={isTheirs(field) ? merged.form : draft} field={field} />,
        theirs: <Value of={merged.stored} field={field} />,
        wins: isTheirs(field) ? 'theirs' : 'mine',
      }))}
      taken={merged.taken.map((field) => ({
        field,
        label: labels[field],
        theirs: <Value of={merged.stored} field={field} />,
      }))}
      onChoose={(field, side) => {
        const from = side === 'theirs' ? merged.stored : merged.form;
        onChoose({ [field]: from[field as keyof UserDraft] });
      }}
    />
  );
}

function Value({ of, field }: { of: UserDraft; field: keyof UserDraft }): ReactNode {
  const { t } = useTranslation();
  if (field === 'userType') return t(`roles.${of.userType as UserView['userType']}`);
  if (field !== 'claims') return of[field] || t('common.noValue');
  if (of.claims.length === 0) return t('users.noClaims');
  return of.claims.map(({ name, value }) => (
    <span key={JSON.stringify([name, value])} className={styles.line}>
      {name}: {value}
    </span>
  ));
}

function UserFields({
  before,
  problemOf,
}: {
  before: UserView | undefined;
  problemOf: (field: string) => string | undefined;
}) {
  const { t } = useTranslation();
  const rule = (field: string) => ({
    validator: async () => {
      const problem = problemOf(field);
      if (problem) throw new Error(problem);
    },
  });
  return (
    <>
      <Form.Item name="fullName" label={t('users.name')} rules={[rule('fullName')]}>
        <Input autoComplete="off" maxLength={maxFullName} />
      </Form.Item>
      {before ? (
        <ReadOnlyField
          label={t('users.email')}
          value={before.email ?? t('common.noValue')}
          reason={t('users.fixedEmail')}
        />
      ) : (
        <Form.Item name="email" label={t('users.email')} rules={[rule('email')]}>
          <Input type="email" inputMode="email" autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Form.Item>
      )}
      {before && (before.managed || before.userType !== 'Incomplete') ? (
        <ReadOnlyField
          label={t('users.userType')}
          value={t(`roles.${before.userType}`)}
          reason={t(before.managed ? 'managed.badge' : 'users.fixedType')}
        />
      ) : (
        <Form.Item name="userType" label={t('users.userType')} rules={[rule('userType')]}>
          <Radio.Group
            aria-label={t('users.userType')}
            options={createdUserTypes.map((type) => ({ value: type, label: t(`roles.${type}`) }))}
          />
        </Form.Item>
      )}
      {before?.managed || before?.userType === 'RelatedPerson' ? (
        <ReadOnlyField
          label={t('claims.title')}
          value={<Value of={draftOf(before)} field="claims" />}
          reason={t(before.managed ? 'managed.badge' : 'users.fixedClaims')}
        />
      ) : (
        <ClaimsFields problemOf={problemOf} />
      )}
    </>
  );
}

/** A field that was never touched may have no value at all. */
function complete({ fullName, email, userType, claims }: UserDraft): UserDraft {
  return {
    fullName: fullName ?? '',
    email: email ?? '',
    userType: userType ?? '',
    claims: (claims ?? []).map(({ name, value }) => ({ name: name ?? '', value: value ?? '' })),
  };
}
