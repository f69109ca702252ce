import { DownloadOutlined, MailOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserFilter } from '../../../../src/contract/clients/bulk.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { formErrors, hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import { useInviteUsersMutation } from '../../api/users/users.js';
import { randomId } from '../../shared/browser/random-id.js';
import { numeral } from '../../shared/i18n/language.js';
import { BulkBar, type BulkPlace } from '../../shared/list/bulk/bulk-bar.js';
import { chosen, useBulk } from '../../shared/list/bulk/use-bulk.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import '../../shared/list/bulk/words/en.js';

/** The actions for the selected users. */
export function UserBulkBar({ place, filter }: { place: BulkPlace<UserView>; filter: UserFilter }) {
  const { t } = useTranslation();
  const [invite] = useInviteUsersMutation();
  const [asking, setAsking] = useState(false);
  const send = useRef<HTMLButtonElement>(null);
  const { run, exportRows, bar } = useBulk(place);
  const { selection } = place;
  const choice = chosen(place, filter);
  const { mailWaits } = useSettings();
  const canInvite = selection.all || selection.rows.some((user) => !user.isExternal && !user.emailConfirmed);

  const inviteAll = () => {
    setAsking(false);
    const id = randomId();
    void run(
      () => invite({ id, action: 'invite', ...choice }).unwrap(),
      (error) => (hasPageOfItsOwn(error) ? null : (formErrors(error).form[0] ?? null)),
      { id, text: (numbers, all) => (all ? t('bulk.invitedAll', numbers) : t('bulk.invitedSome', numbers)) },
    );
  };
  return (
    <>
      {selection.count > 0 && (
        <BulkBar
          place={place}
          {...bar}
          actions={[
            {
              key: 'export',
              label: t('bulk.export'),
              icon: <DownloadOutlined aria-hidden />,
              act: () => void exportRows('/api/admin/user/export', choice, 'users.csv'),
            },
            // Without a mail server it would only end the links that were handed over.
            ...(mailWaits
              ? []
              : [
                  {
                    key: 'invite',
                    label: t('bulk.resend'),
                    icon: <MailOutlined aria-hidden />,
                    disabled: !canInvite,
                    act: () => setAsking(true),
                  },
                ]),
          ]}
        />
      )}
      <Dialog
        open={asking}
        title={t('bulk.inviteTitle', { count: selection.count, number: numeral(selection.count) })}
        initialFocus={send}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button ref={send} type="primary" onClick={inviteAll}>
              {t('bulk.send')}
            </Button>
          </>
        }
      >
        {t('bulk.inviteText')}
      </Dialog>
    </>
  );
}
