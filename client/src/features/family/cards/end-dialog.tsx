import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { failureText, isGone } from '../../../api/failures/form-errors.js';
import { useEndRelationshipMutation } from '../../../api/own-record/family.js';
import { useOwnRequestsQuery } from '../../../api/own-record/requests.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { listOf } from '../../../shared/i18n/language.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { type Side, useAppsOf } from './apps-of.js';

/** The question before a relationship ends. A failure is shown here, where the answer can be repeated. */
export function EndDialog({
  relationship,
  side,
  open,
  onClose,
}: {
  relationship: OwnRelationship;
  side: Side;
  open: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [send, { isLoading, error, reset }] = useEndRelationshipMutation();
  const { data: requests } = useOwnRequestsQuery();
  const isAskedFor = requests?.bases.some(({ id }) => id === relationship.basis.id) === true;
  const apps = useAppsOf(relationship, side) ?? [];
  const name = isolateName(relationship.name);
  const close = () => {
    reset();
    onClose();
  };
  const end = async () => {
    const { error: failure } = await send({ id: relationship.id });
    if (failure && !isGone(failure)) return;
    onClose();
    // Another end has come before, which may leave no page.
    if (failure) notify('success', t('family.ended'));
    else navigate(`/user/family/ended/${relationship.id}`);
  };
  return (
    <Dialog
      open={open}
      title={t('family.endTitle', { name })}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={end}>
            {t('family.end')}
          </Button>
        </>
      }
    >
      <p>{t(side === 'lookedAfter' ? 'family.endLookedAfter' : 'family.endHelper', { name })}</p>
      <p>{apps.length > 0 ? t('family.endApps', { apps: listOf(apps.map((app) => isolateName(app.name))) }) : ''}</p>
      {side === 'lookedAfter' && isAskedFor && <p>{t('family.endAsksAgain')}</p>}
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
