@_exported public import Cadastre
