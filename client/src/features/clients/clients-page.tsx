import { ApiOutlined, TagsOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDashboardCountsQuery } from '../../api/dashboard.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { TagsSheet } from './tags/tags-sheet.js';

/** How many apps and services may ask for tokens, and the tags they are sorted by; the rest is done by calls. */
export function ClientsPage() {
  const { t } = useTranslation();
  const { data: counts } = useDashboardCountsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [tagsOpen, setTagsOpen] = useState(false);
  return (
    <>
      <ListHead
        title={t('clients.title')}
        total={counts?.numberOfClients}
        actions={
          <Button icon={<TagsOutlined aria-hidden />} onClick={() => setTagsOpen(true)}>
            {t('tags.title')}
          </Button>
        }
      />
      <ListEmpty icon={<ApiOutlined aria-hidden />} title={t('clients.byCallTitle')} text={t('clients.byCallText')} />
      <TagsSheet open={tagsOpen} onClose={() => setTagsOpen(false)} />
    </>
  );
}
