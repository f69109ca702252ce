import { useRef, useState } from 'react';
import type { LaunchContextKind, PatientInContext } from '../../../../src/contract/launch-context.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useLaunchContextQuery, useLazyLaunchContextQuery } from '../../api/launch-context.js';

/**
 * The candidates of a step: those listed with the request, then the results of a search, page after page. Once the
 * patient is chosen they are requested again, with the patient's name: no list is shown without it.
 */
export function useCandidates(listed: LaunchContextKind, returnUrl: string, patient: string | undefined) {
  const [searchTerm, setSearchTerm] = useState('');
  const [further, setFurther] = useState<LaunchContextKind[]>([]);
  const current = useRef(searchTerm);
  current.current = searchTerm;
  const asked = {
    returnUrl,
    kind: listed.name,
    ...(patient === undefined ? {} : { patient }),
    ...(searchTerm === '' ? {} : { searchTerm }),
  };
  const skip = searchTerm === '' && !('patient' in asked);
  const { data, error, isFetching, refetch } = useLaunchContextQuery(asked, { skip });
  const [load, { isFetching: loadingMore }] = useLazyLaunchContextQuery();

  const first = skip ? listed : isFetching || error ? undefined : data?.resourceData[0];
  const last = further.at(-1) ?? first;
  const kind = first && {
    ...first,
    data: withoutTwins([first, ...further]),
    next: last?.next ?? null,
    isCut: last?.isCut === true,
  };
  // The name stays while other rows are loading.
  const named = useRef<PatientInContext | null>(null);
  named.current = data?.patient ?? named.current;
  // So that the field does not go away while it is used.
  const isLong = useRef(false);
  isLong.current ||= kind?.searchable === true && (kind.next !== null || kind.data.length > 10);

  return {
    kind,
    patient: named.current,
    error: isFetching ? undefined : error,
    isFetching,
    refetch,
    searchTerm,
    canSearch: isLong.current,
    search: (term: string) => {
      setFurther([]);
      setSearchTerm(term);
    },
    loadingMore,
    loadMore: async () => {
      if (!last?.next) return;
      const { data: page, error } = await load({ ...asked, page: last.next });
      if (current.current !== searchTerm) return;
      if (error) notifyFailure(error);
      else if (page) setFurther([...further, ...page.resourceData]);
    },
  };
}

/** A server whose data change meanwhile may show a row on two pages. */
function withoutTwins(pages: LaunchContextKind[]): LaunchContextKind['data'] {
  return [...new Map(pages.flatMap(({ data }) => data).map((row) => [row.id, row])).values()];
}
