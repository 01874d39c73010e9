@_exported public import CadastreGeometry
@_exported public import CadastreModel
@_exported public import CadastrePredicate
@_exported public import struct CadastreStore.SQLError
