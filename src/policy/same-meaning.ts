/**
 * What says the same as a word of the default list, in other words and languages: an agent asks in the language it is spoken
 * to in. English ones have their plain forms; of the others `*` stands for any ending. Marks and case do not count. Words that
 * often mean something else are left out. No list is whole: for what must not be missed there is `exclusive`.
 */
const SAME: Record<string, { english: string; others: string }> = {
  delete: {
    english:
      'erase wipe purge destroy truncate_table drop_table drop_tables drop_database drop_schema drop_collection rm_rf rmdir overwrite',
    others: `losch* gelosch* entfern* vernicht* | supprim* effac* detrui* | borrar borra borro borramos borrado eliminar elimina eliminamos
    eliminado suprimir | apagar apaga apago excluir exclui deletar remover | cancellare cancella cancello eliminare rimuovere
    | verwijder* gewist | usun* skasow* usuwa* | удал* стереть сотри* уничтож* | видал* стерти | sil silmek silinsin silelim
    kaldir* | 删除 刪除 清空 移除 销毁 | 削除 消去 消して 破棄 | 삭제* 지워* 지울* | احذف حذف* | हटा* मिटा*`,
  },
  deploy: {
    english: 'rollout roll_out go_live push_to_production push_to_prod ship_it',
    others: `ausroll* ausliefer* bereitstell* deploy* | deploie* deploiement* mettre_en_production mise_en_production | desplegar despleg* desplieg* | implantar
    implantacao publicar_em_producao | distribuire rilasci* | uitrol* | wdroz* wdraza* | разверн* развёрт* развертыв* деплой* выкат* | розгорн*
    | yayina_al* dagit* | 部署 上线 上線 发布到生产 | デプロイ* 本番* | 배포*`,
  },
  publish: {
    english: 'publication publications unpublish npm_publish',
    others: `veroffentlich* | publier publions publie publiez | publicar publicamos publicacion publicado | publicacao | pubblic* | publiceer* gepubliceerd
    publiceren | opublikow* publikow* | опублик* публик* | опубліку* | yayinla* yayimla* | 发布 發布 发表 公开发行 | 公開 出版 | 게시* 출판* 공개*`,
  },
  pay: {
    english: 'payment payments purchase buy refund chargeback',
    others: `bezahl* zahlung* zahle zahlen uberweis* kaufen gekauft | paye payer payez paiement* acheter achet* | pagar paga pago pagos comprar compra | pagamento*
    pagamenti pagare comprare acquist* | betaal* betalen betaling* kopen | zapłac* płaci* płatnos* kupi* | оплат* заплат* платеж* плати* купи* | сплат* | odeme*
    odeyelim satin_al* | 付款 支付 购买 購買 缴费 | 支払* 払う 払い* 購入* | 결제* 지불* 구매*`,
  },
  credentials: {
    english:
      'password passwords passphrase passphrases api_key api_keys private_key private_keys secret_key access_token access_tokens',
    others: `passwort* kennwort* zugangsdaten anmeldedaten | mot_de_passe mots_de_passe identifiants | contrasena* credencial* clave_privada | senha senhas
    credenciais | credenziali | wachtwoord* inloggegevens | hasło hasła haseł poswiadcze* | парол* учетн*_данн* | обликов* | parola* sifre* kimlik_bilgi*
    | 密码 密碼 凭据 憑證 口令 密钥 | パスワード 認証情報 資格情報 | 비밀번호* 자격*_증명*`,
  },
  licence: {
    english: '',
    others: `lizenz* | licencia* | licenca* | licenza licenze | licentie* | licencj* | лиценз* | ліценз* | lisans* | 许可证 許可證 授权协议 | ライセンス* | 라이선스*`,
  },
  migrate: {
    english: '',
    others: `migrier* migriert umzieh* umzug | migrer migrons migre | migrar migra migramos migracion | migracao | migrare migrazione | migreer*
    | migrow* migracj* przenies* | мигрир* миграц* перенес* | міграц* | tasi* goc_ettir* | 迁移 遷移 搬迁 | 移行* マイグレーション* | 마이그레이션* 데이터_이전*`,
  },
};

/** One way to say it: words side by side. */
export type Saying = { text: string; as: 'inflected' | 'beginning' | 'whole' }[];

/** Of an entry of the list, folded by who asks. */
export function sayingsOf(entry: string, fold: (text: string) => string): Saying[] {
  const known = Object.hasOwn(SAME, entry) ? SAME[entry]! : { english: '', others: '' };
  const read = (words: string, plain: 'inflected' | 'whole'): Saying[] =>
    (words.match(/[^\s|]+/g) ?? []).map((one) =>
      one.split('_').map((word) => ({
        text: fold(word.replace(/\*$/, '')),
        as: word.endsWith('*') ? 'beginning' : plain,
      })),
    );
  return [...read(known.english, 'inflected'), ...read(known.others, 'whole')];
}
