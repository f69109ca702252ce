import './words/en.js';
import { useTranslation } from 'react-i18next';
import type { LinkCheck } from '../../../../src/contract/users/account.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { type PasswordChoice, useCheckLinkQuery } from '../../api/users/account.js';
import { useLink } from '../../shared/addresses/use-link.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { LinkEnded } from './link-ended.js';
import { PasswordForm } from './password-form.js';
import type { LinkTexts, LinkUse } from './use-link-choice.js';

/** Choosing a password with a link that came by mail, for the first time or after it was forgotten. */
export function ChoosePassword({
  purpose,
  texts,
  send,
}: {
  purpose: LinkCheck['purpose'];
  texts: LinkTexts;
  send: (choice: PasswordChoice) => PromiseLike<{ error?: unknown }>;
}) {
  const { t } = useTranslation();
  const { link, forget } = useLink();
  return (
    <>
      {link ? (
        <Checked link={link} purpose={purpose} texts={texts} send={send} onDone={forget} />
      ) : (
        <>
          <PageTitle className={card.title}>{texts.title}</PageTitle>
          <LinkEnded errors={[t('choosePassword.noLink')]} wayOn={{ label: t('common.goToLogin'), page: '/login' }} />
        </>
      )}
    </>
  );
}

/** A link that is no longer good says so before a password is thought of. */
function Checked(rest: LinkUse) {
  const { data, error, refetch } = useCheckLinkQuery({ ...rest.link, purpose: rest.purpose });
  return (
    <>
      {data?.app && <AppPlace app={data.app} />}
      <PageTitle className={card.title}>{rest.texts.title}</PageTitle>
      {data ? <PasswordForm facts={data} {...rest} /> : error && <Refused error={error} refetch={refetch} {...rest} />}
    </>
  );
}

function Refused({ error, refetch, ...rest }: LinkUse & { error: unknown; refetch: () => void }) {
  const { status } = error as { status?: unknown };
  const errors = formErrors(error).form;
  if (status === 400) return <LinkEnded errors={errors} wayOn={rest.texts.wayOn} />;
  return (
    <div className={card.instead}>
      {status === 429 ? <ErrorList errors={errors} /> : <LoadFailed onRetry={refetch} />}
    </div>
  );
}
