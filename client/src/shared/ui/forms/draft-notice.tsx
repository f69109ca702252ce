import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Banner } from '../layout/banner.js';
import './words/en.js';

/** Over a form that begins with what was entered before its page was left. */
export function DraftNotice({ secrets = false, onDiscard }: { secrets?: boolean; onDiscard: () => void }) {
  const { t } = useTranslation();
  const discard = (
    <Button type="link" onClick={onDiscard}>
      {t('drafts.discard')}
    </Button>
  );
  return (
    <Banner act={discard}>
      <span>{t('drafts.broughtBack')}</span> {secrets && <span>{t('drafts.secretsAgain')}</span>}
    </Banner>
  );
}
