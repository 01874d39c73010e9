// The types of the errors of the store. The rest of CadastreSQLite stays hidden from the store's users.
@_exported public import struct CadastreSQLite.SQLError
@_exported public import struct CadastreSQLite.StoreError
