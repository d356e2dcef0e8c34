/** Texts of the page on which operators choose an organization. */
export const organizationTexts = {
  title: 'Organizations',
  intro: 'Choose the organization to see. The page of the same section opens.',
  find: 'Name or id of an organization',
  columns: { name: 'Organization', id: 'Id', plan: 'Plan', created: 'Created' },
}
