/** Texts of the page on which operators choose an organization. */
export const organizationTexts = {
  title: 'Organizations',
  intro: 'Choose an organization. Its page of the same section opens.',
  find: 'Name or id of an organization',
  columns: { name: 'Organization', id: 'Id', plan: 'Plan', created: 'Created' },
}
