import { Form, Input, Radio } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createdUserTypes, maxFullName } from '../../../../src/contract/rules/user-form.js';
import type { UserView } from '../../../../src/contract/users.js';
import { formErrors, isToldElsewhere } from '../../api/form-errors.js';
import { forgetDraft, keptDraft } from '../../shared/drafts.js';
import { t } from '../../shared/i18n/i18n.js';
import { said } from '../../shared/i18n/said.js';
import { notify } from '../../shared/notices.js';
import { ClaimsFields } from '../../shared/ui/claims-fields.js';
import { DraftNotice } from '../../shared/ui/draft-notice.js';
import { ErrorList } from '../../shared/ui/error-list.js';
import { Fixed } from '../../shared/ui/fixed.js';
import { useUnsavedChanges } from '../../shared/ui/unsaved-changes.js';
import { claimsForType, draftOf, fieldsOf, newUser, problemsOf, type UserDraft, userDraftName } from './user-draft.js';

/** The draft of a user as it outlives its page, and what it began with. */
interface KeptUserDraft {
  initial: UserDraft;
  draft: UserDraft;
}

const pathOf = (field: string) => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/**
 * The form of a new user, or of one who is there. Nothing is complained of before it is saved for the first time; from
 * then on everything is as soon as it changes. `save` gives the error of the call, if it failed.
 */
export function useUserForm(before: UserView | undefined, save: (draft: UserDraft) => Promise<{ error?: unknown }>) {
  const [form] = Form.useForm<UserDraft>();
  const [errors, setErrors] = useState<string[]>([]);
  const [tried, setTried] = useState(false);
  const name = userDraftName(before?.id ?? 'new');
  const [kept, setKept] = useState(() => keptDraft<KeptUserDraft>(name));
  const stored = before ? draftOf(before) : newUser;
  const initial = kept?.initial ?? stored;
  const draft = () => complete({ ...initial, ...form.getFieldsValue(true) });
  const unsaved = useUnsavedChanges(() => JSON.stringify(draft()) !== JSON.stringify(initial), {
    name,
    value: (): KeptUserDraft => ({ initial, draft: draft() }),
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
    setKept(undefined);
    form.setFieldsValue(stored);
  };

  const submit = async () => {
    setErrors([]);
    const { error } = await save(draft());
    if (!error || isToldElsewhere(error)) return;
    const problems = formErrors(error, fieldsOf(draft()));
    form.setFields(
      Object.entries(problems.fields).map(([field, messages]) => ({ name: pathOf(field) as never, errors: messages })),
    );
    setErrors(problems.form);
    notify('error', t('errors.notSaved'));
    const [first] = Object.keys(problems.fields);
    if (first) focus(first);
  };

  const fields = (id: string, children?: ReactNode) => (
    <Form<UserDraft>
      name={id}
      form={form}
      layout="vertical"
      initialValues={kept?.draft ?? initial}
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
      {kept && <DraftNotice onDiscard={discard} />}
      <UserFields
        before={before}
        problemOf={(field) => problemsOf(draft(), before).find((problem) => problem.field === field)?.messages[0]}
      />
      <ErrorList errors={errors} />
      {children}
    </Form>
  );
  return { fields, ...unsaved };
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
      if (problem) throw new Error(said(problem));
    },
  });
  return (
    <>
      <Form.Item name="fullName" label={t('users.name')} rules={[rule('fullName')]}>
        <Input autoComplete="off" maxLength={maxFullName} />
      </Form.Item>
      {before ? (
        <Fixed label={t('users.email')} value={before.email ?? t('common.noValue')} reason={t('users.fixedEmail')} />
      ) : (
        <Form.Item name="email" label={t('users.email')} rules={[rule('email')]}>
          <Input type="email" inputMode="email" autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Form.Item>
      )}
      {before && before.userType !== 'Incomplete' ? (
        <Fixed label={t('users.userType')} value={t(`roles.${before.userType}`)} reason={t('users.fixedType')} />
      ) : (
        <Form.Item name="userType" label={t('users.userType')} rules={[rule('userType')]}>
          <Radio.Group
            aria-label={t('users.userType')}
            options={createdUserTypes.map((type) => ({ value: type, label: t(`roles.${type}`) }))}
          />
        </Form.Item>
      )}
      <ClaimsFields problemOf={problemOf} />
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
